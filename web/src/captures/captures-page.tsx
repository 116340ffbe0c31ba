import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { mayUseMicrophone } from '../navigation/history.ts';
import { useIdentity } from '../session/session.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Empty, Loaded } from '../ui/card.tsx';
import { Icon } from '../ui/icons.tsx';
import { Page } from '../ui/page.tsx';
import { OlderRows, Row, Rows } from '../ui/rows.tsx';
import { Ago } from '../ui/time.tsx';
import { CaptureBadges, nameOf } from './capture-badges.tsx';
import { CaptureFilters, useCaptureFilter } from './capture-filters.tsx';
import { ImportButton, ImportPanel } from './import-panel.tsx';
import { type CaptureListed, capturesQuery } from './queries.ts';
import { inWords } from './recorder/duration.ts';

/** List of the recordings and notes of the workspace, newest first. */
export function CapturesPage() {
  const { workspace } = useIdentity();
  const { filter, isFiltered, change, round } = useCaptureFilter();
  const captures = useInfiniteQuery(capturesQuery(workspace.id, filter));
  const rows = captures.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Page
      title="Captures"
      intro={`Recordings and notes of ${workspace.name}.`}
      actions={
        <div className="page-actions">
          <ImportButton />
          <ButtonLink to="/captures/new">
            <Icon name="note" />
            New note
          </ButtonLink>
          <Link to="/record" reloadDocument={!mayUseMicrophone} className="button primary">
            <Icon name="microphone" />
            Record
          </Link>
        </div>
      }
    >
      <ImportPanel />
      <CaptureFilters key={round} filter={filter} onChange={change} />
      <section className="card" aria-busy={captures.isPlaceholderData}>
        <Loaded query={captures} what="the captures">
          {() =>
            rows.length === 0 ? (
              <NoCaptures isFiltered={isFiltered} />
            ) : (
              <Rows label="Captures">
                {rows.map((capture) => (
                  <CaptureRow key={capture.id} capture={capture} />
                ))}
              </Rows>
            )
          }
        </Loaded>
        <OlderRows query={captures} />
      </section>
      <p className="visually-hidden" role="status">
        {captures.data && !captures.isPlaceholderData && `${rows.length} captures are shown.`}
      </p>
    </Page>
  );
}

function NoCaptures({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No results">Try other search terms or fewer filters.</Empty>;
  return (
    <Empty title="No captures yet">
      Record a conversation, write a note or drop a transcript here to get a summary and suggested todos.
    </Empty>
  );
}

function CaptureRow({ capture }: { capture: CaptureListed }) {
  const { id, type, subtitle, durationSeconds, createdAt, recordedAt, tags } = capture;
  return (
    <Row
      icon={
        <span className="capture-icon">
          <Icon name={type === 'note' ? 'note' : 'microphone'} />
          <span className="visually-hidden">{type === 'note' ? 'Note' : 'Recording'}</span>
        </span>
      }
      title={<Link to={`/captures/${id}`}>{nameOf(capture)}</Link>}
      badges={<CaptureBadges {...capture} />}
      detail={subtitle}
      facts={[
        <Ago key="at" at={recordedAt ?? createdAt} />,
        ...(durationSeconds === null ? [] : [inWords(durationSeconds * 1000)]),
        ...(tags.length === 0 ? [] : [<TagChips key="tags" tags={tags} />]),
      ]}
    />
  );
}

function TagChips({ tags }: { tags: string[] }) {
  return (
    <span className="tags">
      {tags.map((tag) => (
        <span key={tag} className="tag plain">
          {tag}
        </span>
      ))}
    </span>
  );
}
