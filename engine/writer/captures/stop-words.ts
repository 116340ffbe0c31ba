/** Words that do not indicate what a text is about. */
const english = `a about above actually after again against all almost already also although always am an and another any
anybody anyone anything anyway are aren't around as ask at away back bad be because been before being below best better
between big bit both but by bye call came can can't cannot come comes coming could couldn't cool course day days definitely
did didn't do does doesn't doing don't done down each either else enough even ever every everybody everyone everything
exactly far few fine first for forward from further gave get gets getting give given go goes going gonna good got gotta
great guess guys had hadn't happen happened has hasn't have haven't having he he'd he'll he's hear hello help her here
here's hers herself hey hi high him himself his hmm hold hope how however i i'd i'll i'm i've idea if important in indeed
instead into is isn't it it'd it'll it's its itself just keep kind knew know known last later least less let let's like
likely little long look looking looks lot lots made make makes making many may maybe me mean means meet meeting might mine
minute minutes mm moment month months more morning most mostly much must my myself near need needs never new next nice no
nobody none nor not note nothing now of off often oh ok okay old on once one only onto or other others otherwise our ours
ourselves out over own part people perhaps please point possible pretty probably put quick quickly quite rather re really
right said same saw say saying says second see seem seems seen several shall she she'd she'll she's should shouldn't show
since small so some somebody someone something sometimes soon sorry sort sounds start started still stuff such suppose
sure take taken takes taking talk talking tell than thank thanks that that's the their theirs them themselves then there
there's these they they'd they'll they're they've thing things think thinking this those though three through thus time
times to today together tomorrow too took toward towards try trying two uh um under until up upon us use used uses using
usually very via wait want wanted wants was wasn't way ways we we'd we'll we're we've week weeks welcome well went were
weren't what what's whatever when where whether which while who who's whole whom whose why will with within without won't
wonder word work worked working works would wouldn't yeah year years yep yes yesterday yet you you'd you'll you're you've
your yours yourself monday tuesday wednesday thursday friday saturday sunday january february march april june july august
september october november december zero four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty
hundred thousand million percent per second third half double euro euros dollar dollars`;

const others = `aber alle allem allen aller alles als also am an auch auf aus bei bin bis bist da damit dann das dass dein dem
den denn der des dich die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es
etwas euch für gegen hab habe haben hat hatte hier ich ihm ihn ihr ihre im in ist ja jede jeden jeder jetzt kann kein keine
können machen man mehr mein mich mir mit muss müssen nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine sich
sie sind so soll über um und uns unser unter vom von vor war waren was weil wenn wer werden wie wieder wir wird wo zu zum
zur montag dienstag mittwoch donnerstag freitag au aux avec ce ces cet cette comme dans de des du elle elles en est et été
être eu faire fait faut ici il ils je la le les leur leurs lui mais me même mes moi mon ne nos notre nous on ont ou où par
pas plus pour qu que quel quelle qui sa sans se ses si son sont sur ta tes toi ton tous tout toute très tu un une vos votre
vous y lundi mardi mercredi jeudi vendredi al algo ante antes aquí así cada como con contra cual cuando de del desde donde
dos e el ella ellas ellos en entre era es esa ese eso esta está están este esto ha han hasta hay hemos he la las le les lo
los más me mi mis mucho muy no nos nosotros o otra otro para pero por porque que qué quien se ser si sí sin sobre son su
sus también tan te tiene tienen todo todos tu un una uno unos vamos ya yo lunes martes miércoles jueves viernes ao aos as
até com da das dela dele do dos ela ele eles em essa esse estamos está eu foi isso isto já mais mas meu minha muito na nas
nem no nos num numa não o os ou pela pelo pode quando se seu seus sua suas só também tem temos têm um uma vai você agli ai
alla alle allo anche che chi ci cui dagli dal dalla degli dei del della delle dello di dove era fra gli ha hanno ho io la
lei lo loro ma mi mia mio nei nel nella non per perché più quando quello questa questo sarà sei sia siamo sono sua sulla
suo tra tutti tutto una uno voi aan als bij dat de deze die dit door dus een en er ge geen had heb hebben heeft het hij ik
in is je kan maar me met mijn moet naar niet nog nu of om onze ook op over te tot uit van veel voor waar wat we wel wij
wordt zal ze zei zich zij zijn zo tausend hundert prozent mille cent deux trois quatre cinq douze mil cien dos tres`;

const japanese = `の は が を に で と も か ら から まで て た だ です ます し する した して い いる ある ない な よ ね こと もの それ これ その この さん ん`;
const chinese = `的 了 是 在 我 你 他 她 我们 你们 他们 们 和 就 都 而 及 与 着 或 一个 没有 不 也 很 到 说 要 去 会 把 这 那 这个 那个 有 吗 呢 吧 啊 对 好 将 于 由 请 上 下 中 为`;
const russian = `и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только её мне было вот от меня ещё нет о из ему теперь когда даже ну вдруг ли если уже или ни быть был него до вас нибудь опять уж вам мы нас для это этот эта мы будет`;

const arabic = `على إلى هذا هذه ذلك التي الذي كان كانت لكن ولكن قال كل هناك نحن هو هي مع عن بعد قبل أيضا`;

/** Lower-case, with straight apostrophes. */
export const stopWords: ReadonlySet<string> = new Set(
  [english, others, japanese, chinese, russian, arabic].join(' ').split(/\s+/),
);
