/** Labels of tasks, in front of a colon, in the languages that notes are mostly written in. */
const labels = [
  'to-?dos?|to do|action(?: items?| points?)?|next steps?|tasks?',
  'aufgaben?|aktion|zu erledigen|nächste schritte?',
  '[àa] faire|t[âa]ches?|prochaines? étapes?',
  'tareas?|pendientes?|acci[óo]n|pr[óo]ximos? pasos?',
  'da fare|azion[ei]|prossimi passi',
  'tarefas?|a[çc][ãa]o|pr[óo]ximos? passos?',
  'taak|taken|acties?|actiepunt(?:en)?|volgende stappen?',
  'att göra|uppgift(?:er)?|nästa steg',
  'do zrobienia|zadani[ea]',
  'задач[аи]|сделать|следующие шаги',
  '待办(?:事项)?|待辦(?:事項)?|任务|下一步|行动项',
  'やること|タスク|次のステップ|アクション(?:アイテム)?',
  '할 일|다음 단계',
].join('|');

const sections = `${labels}|(?:open )?action list|follow[- ]?ups?|todo list|to-do list|who does what|offene aufgaben|actions à mener`;

/** A label with what it is about behind it: “TODO: call Bob”, “Action item for Ada: …”, “TODO(ada): …”. */
export const actionLabel = new RegExp(
  `^(?:${labels})(?:\\s*#?\\d{1,3}(?!\\d))?(?:\\s+(?:for|für|pour|para|per|voor)\\s+(?<name>[^:：()]{1,60}?)|\\s*\\((?<handle>[^)]{1,60})\\))?\\s*[:：]\\s*(?<rest>\\S[\\s\\S]*)$`,
  'iu',
);

/** “TODO call Bob”, which must be in capitals and continue as a task does. */
export const bareTodo =
  /^TODO(?:\((?<handle>[^)]{1,60})\))?(?:\s+[-–—])?\s+(?!(?:lists?|apps?|items?|comments?|is|are|was|were|and|or|in|of|for|has|have)\b)(?<rest>[\p{L}@][\s\S]*)$/u;

/** A line after which tasks follow. */
export const actionHeading = new RegExp(`^(?:${sections})\\s*(?:\\([^)]{0,40}\\))?\\s*[:：]?$`, 'iu');

/** Labels that are nobody's name. */
export const labelWords = new RegExp(
  `^(?:${sections}|.*\\d$|decisions?|decided|agreed|notes?|n\\.?b\\.?|agenda|attendees|participants|present|absent|date|time|when|where|who|what|why|how|location|subject|topics?|re|summary|background|context|goals?|risks?|issues?|questions?|answers?|q|a|example|e\\.g|i\\.e|important|warning|attention|correction|update|status|pros?|cons?|problem|solution|conclusion|outcome|results?|open|due|deadline|owner|fyi|ps|p\\.s|link|source|price|budget|total|beschluss|beschlüsse|notiz|datum|teilnehmer|thema|ort|zeit|décision|ordre du jour|présents|decisión|asunto|fecha|asistentes|决定|議題|议题|日期|日時|https?)$`,
  'iu',
);
