import { Checkbox, Label, Radio, RadioGroup } from 'react-aria-components';
import { useCommandContext } from '../shell/command-context.ts';
import { changeAppearance, useAppearance } from '../ui/appearance.ts';
import { densities, type Appearance as Look, themes } from '../ui/appearance-cookie.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Tick } from '../ui/icons.tsx';
import { Page } from '../ui/page.tsx';
import { InstallCard } from './install-card.tsx';

const themeNames: Record<Look['theme'], string> = { system: 'As the system', light: 'Light', dark: 'Dark' };
const densityNames: Record<Look['density'], string> = { comfortable: 'Comfortable', compact: 'Compact' };

/** Page `/settings/appearance`: how the pages look and react in this browser. Changes apply at once. */
export function Appearance() {
  const { theme, density, shortcuts, enter } = useAppearance();
  const { openShortcuts } = useCommandContext();
  return (
    <Page title="Appearance" intro="How Tandem looks in this browser. Changes apply at once.">
      <Card title="Colours">
        <Choice
          label="Theme"
          options={themes.map((id) => ({ id, label: themeNames[id] }))}
          value={theme}
          onChange={(chosen) => changeAppearance({ theme: chosen })}
        />
      </Card>
      <Card title="Density" intro="Compact shows more of a list at once. On a touch screen controls stay large.">
        <Choice
          label="Spacing"
          options={densities.map((id) => ({ id, label: densityNames[id] }))}
          value={density}
          onChange={(chosen) => changeAppearance({ density: chosen })}
        />
      </Card>
      <Card
        title="Keyboard"
        intro="Single keys and sequences start commands outside of text fields. Screen readers and voice control may need these keys themselves."
      >
        <Checkbox
          className="choice inline"
          isSelected={shortcuts === 'on'}
          onChange={(on) => changeAppearance({ shortcuts: on ? 'on' : 'off' })}
        >
          <Tick />
          Keyboard shortcuts
        </Checkbox>
        <Checkbox
          className="choice inline"
          isSelected={enter === 'sends'}
          onChange={(sends) => changeAppearance({ enter: sends ? 'sends' : 'breaks' })}
        >
          <Tick />
          <span>
            Enter sends a message
            <span className="muted block">
              {enter === 'sends'
                ? 'Shift and Enter begin a new line.'
                : 'It begins a new line. ⌘ or Ctrl and Enter send.'}
            </span>
          </span>
        </Checkbox>
        <div className="form-actions">
          <Button onPress={openShortcuts}>Show all shortcuts</Button>
        </div>
      </Card>
      <InstallCard />
    </Page>
  );
}

interface ChoiceProps<Id extends string> {
  label: string;
  options: { id: Id; label: string }[];
  value: Id;
  onChange: (id: Id) => void;
}

function Choice<Id extends string>({ label, options, value, onChange }: ChoiceProps<Id>) {
  return (
    <RadioGroup className="field choices" value={value} onChange={(chosen) => onChange(chosen as Id)}>
      <Label>{label}</Label>
      <div className="choice-box">
        {options.map(({ id, label: text }) => (
          <Radio key={id} value={id} className="choice inline">
            <i className="dot" />
            {text}
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}
