/*
 * What the pages do beyond their HTML: samples as tabs, copying, a filter of the operations. Without this script the
 * samples stand one below the other, and everything can be read.
 */

const stored = 'tandem-docs-language';

function remembered() {
  try {
    return localStorage.getItem(stored);
  } catch {
    return null;
  }
}

function remember(language) {
  try {
    localStorage.setItem(stored, language);
  } catch {
    // The browser stores nothing: the choice holds on this page.
  }
}

const groups = [];

function choose(language) {
  for (const { tabs, figures } of groups) {
    const known = figures.some((figure) => figure.dataset.language === language);
    for (const [index, figure] of figures.entries()) {
      const isChosen = known ? figure.dataset.language === language : index === 0;
      figure.hidden = !isChosen;
      tabs[index].setAttribute('aria-selected', String(isChosen));
      tabs[index].tabIndex = isChosen ? 0 : -1;
    }
  }
}

function onKey(event, tabs) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const next = tabs[(tabs.indexOf(event.currentTarget) + step + tabs.length) % tabs.length];
  next.focus();
  next.click();
  event.preventDefault();
}

for (const [number, samples] of document.querySelectorAll('.samples').entries()) {
  const figures = [...samples.querySelectorAll('.sample')];
  const list = document.createElement('div');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language of the sample');
  const tabs = figures.map((figure, index) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.textContent = figure.dataset.language;
    tab.id = `tab-${number}-${index}`;
    figure.id = `sample-${number}-${index}`;
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', figure.id);
    figure.setAttribute('role', 'tabpanel');
    figure.setAttribute('aria-labelledby', tab.id);
    figure.querySelector('.caption').hidden = true;
    tab.addEventListener('click', () => {
      const before = tab.getBoundingClientRect().top;
      remember(figure.dataset.language);
      choose(figure.dataset.language);
      // All samples of the page change: the one that was clicked stays where it is.
      window.scrollBy(0, tab.getBoundingClientRect().top - before);
    });
    tab.addEventListener('keydown', (event) => onKey(event, tabs));
    list.append(tab);
    return tab;
  });
  samples.prepend(list);
  groups.push({ tabs, figures });
}
choose(remembered());

if (navigator.clipboard) {
  for (const block of document.querySelectorAll('pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
    const frame = document.createElement('div');
    frame.className = 'copyable';
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

const filter = document.querySelector('#filter');
if (filter) {
  const label = document.createElement('label');
  const input = document.createElement('input');
  const status = document.createElement('p');
  label.textContent = 'Filter operations ';
  input.type = 'search';
  status.setAttribute('role', 'status');
  label.append(input);
  filter.append(label, status);
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    const { length } = document.querySelectorAll('.group tbody tr');
    for (const group of document.querySelectorAll('.group')) {
      let inGroup = 0;
      for (const row of group.querySelectorAll('tbody tr')) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        if (!row.hidden) inGroup++;
      }
      group.hidden = inGroup === 0;
      count += inGroup;
    }
    status.textContent = words.length > 0 ? `${count} of ${length} operations` : '';
  });
}
