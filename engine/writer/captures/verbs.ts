const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Verbs of errands: “I'll send …” is a promise, also where no day is stated. */
export const errands = set(`send email e-mail mail write draft prepare schedule book order buy purchase create file fix
update review publish submit circulate distribute finalize finalise deliver install deploy migrate document translate
transcribe upload print sign register renew cancel invoice pay refund hire recruit research investigate compile collect
gather organize organise arrange set follow reach forward post rewrite refactor test build design implement`);

/** Other work: an errand where a day is stated, or where tasks are listed. */
export const work = new Set([
  ...errands,
  ...set(`add adjust ask call check clarify clean close complete confirm contact coordinate decide define do double-check
  evaluate escalate estimate explain export extend find finish get give handle import inform invite list look make merge
  monitor move notify open phone pick plan present produce propose provide put read record reduce remove rename repair
  replace reply report request reserve resolve respond return rework roll run save search ship share sort speak submit
  summarize summarise switch sync take talk tell text train transfer try turn upgrade validate verify visit work wrap
  address align analyse analyze approve assemble assign attach audit back backup benchmark bring communicate compare configure
  connect consolidate convert copy correct deactivate debug delegate delete demo discuss drop edit enable enter fill format
  generate identify improve integrate interview launch log mark measure mention message nail negotiate note outline
  outsource pack post print process procure prototype push re-check re-run re-send recheck rerun resend rehearse release
  remind reschedule retest revise revisit scan select sell simplify sketch spec start stop store study submit supply survey
  tag tidy track trim unblock verify wash water withdraw`),
]);

/** What is no work to be done: states, talk, feelings, coming and going. */
export const noWork =
  set(`be have see know think need want like love hate say guess admit bet let come go leave miss stay
live remember forget feel seem become rain snow arrive happen die wait assume hope wish believe understand agree probably
likely no not never only also still hopefully maybe perhaps ever join attend listen hear enjoy suggest argue regret appear
exist remain result cost depend mean matter fall rise grow shrink lose win sleep eat drink drive fly travel retire turn
age suffer keep always sit stand it that this them him her me you us we i the a an and or but if when there here so too
definitely certainly surely someday eventually pass end begin start continue resume reconvene apologise apologize mute
unmute speak talk discuss chat`);
