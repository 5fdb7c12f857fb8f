import type { BounceCategory } from './report.ts'

// Patterns of German, French, Spanish, Italian, Portuguese, Russian and Japanese delivery reports.
// `.` stands for accented letters that some software loses. `\b` is ASCII only and not used beside
// other letters.

const oneOf = (...words: string[]) => words.join('|')

/** Pattern of the sender names of mail systems in other languages than English. */
export const foreignMachineNames = new RegExp(
  oneOf(
    'zustell(?:system|dienst)|systemadministrator',
    'syst.me de (?:messagerie|distribution|remise)|administrateur syst.me',
    '(?:sub)?sistema de (?:entrega|correo)|administrador del? (?:sistema|correo)',
    'sistema di (?:consegna|posta)|amministratore di sistema|posta certificata',
    '(?:система|служба|подсистема) доставки|почтов(?:ая система|ый сервер)|системный администратор',
    '配信(?:サブ)?システム|メール(?:システム|サーバー?)管理',
  ),
  'iu',
)

/**
 * Pattern of the beginnings of subjects of delivery reports that only mail servers write, in other
 * languages than English.
 */
export const foreignSubjects = new RegExp(
  `^[^\\p{L}]*(?:${oneOf(
    'unzustellbar|nicht zustellbar|(?:e-?mail|nachricht|mail) (?:konnte nicht|unzustellbar|nicht zugestellt)|zustellung(?:sfehler| fehlgeschlagen|sbenachrichtigung| verz.{1,2}gert)|fehler bei der zustellung|verz.{1,2}gerte zustellung',
    'non (?:remis|distribu|d.livr)|.chec (?:de (?:la )?)?(?:remise|distribution|livraison|d.envoi)|message non (?:remis|distribu|d.livr)|(?:remise|distribution) (?:retard|diff.r|impossible)|notification d.{1,2}.chec',
    'no (?:se (?:puede|pudo|ha podido) entregar|entregado)|(?:correo|mensaje) (?:devuelto|no entregad|rechazad)|(?:error|fallo|falla) (?:en|de) (?:la |el )?(?:entrega|env.o)|entrega (?:retrasada|fallida)|notificaci.n (?:de|del) (?:estado|error) de entrega',
    'non recapitabil|impossibile (?:recapitare|consegnare)|mancat[ao] (?:consegna|recapito)|messaggio (?:non (?:recapitato|consegnato)|respinto)|avviso di mancata consegna|(?:recapito|consegna) (?:ritardat|fallit|non riuscit)|errore (?:di|nella) (?:consegna|recapito)',
    'n.{1,2}o (?:entregue|. poss.vel entregar|foi poss.vel entregar)|(?:mensagem|e-?mail) (?:n.{1,2}o entregue|devolvid)|(?:falha|erro) (?:na|de) entrega|entrega (?:atrasada|com falha)|notifica..o de (?:status|falha) (?:de|na) entrega',
    'недоставлен|не (?:удалось|удается|удаётся) доставить|(?:письмо|сообщение) не (?:доставлено|может быть доставлено)|(?:ошибка|сбой|задержка) (?:при )?доставк|доставка (?:отложена|не удалась)|уведомление о (?:не)?доставке|возврат (?:почты|письма|сообщения)',
    '配信(?:不能|不可|できません|エラー|失敗|遅延|の遅延|状況通知)|(?:メール|メッセージ)(?:が|を)?(?:配信|送信|お届け)?(?:でき(?:ません|なかった)|不能|エラー)|送信(?:エラー|できません|失敗)|不達|宛先(?:不明|エラー)',
  )})`,
  'iu',
)

/** Phrases for a failed or delayed delivery in reports in other languages than English. */
export const foreignNotDelivered = new RegExp(
  oneOf(
    'nicht (?:\\S+ ){0,3}(?:zugestellt|zustellen|zustellbar|ausgeliefert|.{1,2}bermittelt)|zustellung (?:\\S+ ){0,4}fehlgeschlagen|unzustellbar',
    'n.{1,2}a pas pu .tre|n.{1,2}ont pas pu .tre|n.{1,2}a pas .t. (?:remis|distribu|d.livr)|impossible de (?:remettre|distribuer|livrer)|.chec de (?:la )?(?:remise|distribution)|pas pu .tre (?:remis|distribu|d.livr)',
    'no (?:se )?(?:ha |pudo |puede )?(?:podido )?(?:ser )?entrega|no (?:pudo|ha podido) ser (?:entregad|enviad)|imposible entregar|no se ha (?:podido )?entrega',
    '(?:non|impossibile) (?:.{1,3} stato |.{1,3} stata |.{1,3} possibile |possibile )?(?:recapita|consegna)|mancata consegna|.{1,2} stato rifiutato|rilevato un errore',
    'n.{1,2}o (?:foi|p.de ser|. poss.vel|foi poss.vel|pode ser) (?:\\S+ )?entreg|n.{1,2}o foi entregue|falha na entrega',
    'не (?:может|могло|удалось|удается|удаётся|было|была|были)[^.]{0,30}доставлен|не (?:удалось|удается|удаётся) доставить|не доставлено|не может быть отправлено|недоставлен',
    '配信(?:でき|され(?:てい)?)(?:ません|なかった)|お届けできません|届けることができません|送信でき(?:ません|なかった)|配信不能|配信に失敗',
  ),
  'iu',
)

/** Phrases for further delivery attempts in delivery reports in other languages than English. */
export const foreignDelay = new RegExp(
  oneOf(
    'verz.{1,2}gert|(?:wird|werden) weiter(?:hin)? versuch|noch nicht zugestellt|weitere zustellversuche|erneut(?:er)? (?:versuch|zuzustellen)',
    'retard|diff.r.e|nouvelles? tentatives?|tentera|continuer(?:a|ons) .{1,4}essayer|pas encore .t.',
    'retrasad|se (?:seguir.|volver.|reintentar.)|todav.a no se ha|nuevos? intentos?|a.n no se ha entregado',
    'ritardat|in ritardo|ulteriori tentativi|si continuer. a|verr. ritentat|non (?:.{1,3} )?ancora stat',
    'atrasad|continuar(?:emos|.) tentando|novas? tentativas?|ainda n.{1,2}o foi entregue|ser. tentad',
    'отложен|задержк|попытк[аи] (?:доставки )?(?:будут|будет|продолж)|будем пытаться|ещ[её] не доставлен',
    '遅延|再送(?:信)?を?(?:続け|試み)|再試行し(?:ます|ています)|まだ配信されていません|引き続き',
  ),
  'iu',
)

/**
 * Phrases of delivery reports in other languages for a permanent failure, which take precedence
 * over `foreignDelay`.
 */
export const foreignFinal = new RegExp(
  oneOf(
    'endg.{1,2}ltig|aufgegeben|wird nicht (?:erneut|weiter)|keine weiteren',
    'd.finitif|abandonn|aucune autre tentative|ne sera plus',
    'definitiv|no se (?:volver.|har.n)|se ha(?:n)? dejado de intentar|se ha rendido',
    'definitiv|nessun altro tentativo|non verranno effettuati',
    'desisti|n.{1,2}o haver. mais|permanente',
    'окончательн|прекращен|больше не буд',
    '断念|中止しました|これ以上',
  ),
  'iu',
)

/** Labels before a colon and the recipient in delivery reports in other languages than English. */
export const recipientLabels =
  'empf.{1,2}nger(?:adresse)?|adressat|an|e-?mail-?adresse|destinataires?|adresse(?: (?:e-?mail|du destinataire))?|destinatari(?:[oa]s?)?|direcci.n|para|indirizzo|endere.o(?: de e-?mail)?|получател[ьия]|адресаты?|адрес(?: получателя)?|кому|宛先|受信者|送信先|メールアドレス|宛て先'
/**
 * Words before the recipient in a sentence of a delivery report in other languages than English.
 */
export const recipientPrepositions =
  "an|à|a|al|para|all[ao]|alle|all'utente|all'indirizzo|au destinataire|l'adresse|adresse|die adresse|la direcci.n|l'indirizzo|o endere.o|usuario|utente|utilisateur|benutzer|пользователю|пользователя|получателю|получателя|адресату|адресата|адрес[ау]?|на"

/**
 * Lines before the original message in delivery reports in plain text, in other languages than
 * English.
 */
export const originalMarkers =
  'urspr.{1,2}ngliche (?:nachricht|e-?mail|nachrichtenk\\S*)|originalnachricht|original-?nachricht|kopie (?:der|ihrer) nachricht|en-t.tes? (?:du |de )message d.origine|message d.origine|message original|copie du message|encabezados? (?:de|del) mensajes? original(?:es)?|copia del mensaje|intestazioni? (?:dei )?messaggi? original[ei]|messaggi(?:o)? original[ei]|cabe.alhos? da mensagem original|mensagem original|исходн(?:ое сообщение|ые заголовки)|копия (?:вашего )?(?:письма|сообщения)|оригинальное (?:письмо|сообщение)|заголовки (?:исходного )?(?:письма|сообщения)|元の(?:メッセージ|メール)|オリジナル(?:メッセージ|メール)|送信されたメール'

/**
 * Words of delivery reports in other languages for the reasons of a failed delivery. The first
 * match decides.
 */
export const foreignReasons: readonly (readonly [BounceCategory, RegExp])[] = [
  ['virus_detected', /virus|sch.{1,2}dlich|malveillant|malicios|dannos|вирус|вредонос|ウイルス/iu],
  [
    'greylisting',
    /graue liste|liste grise|lista gris|greylist|серый список|сер(?:ом|ый) списк|グレイ?リスト/iu,
  ],
  [
    'relay_denied',
    /relay(?:ing)? (?:nicht|verweigert|abgelehnt)|weiterleitung (?:nicht erlaubt|verweigert)|relais (?:refus|interdit|non autoris)|(?:reenv.o|retransmisi.n|relay) (?:denegad|no permitid)|inoltro (?:negato|non consentito)|relay (?:negato|n.{1,2}o permitido|negado)|пересылка (?:запрещена|не разрешена)|ретрансляция|中継(?:が)?(?:拒否|許可され)/iu,
  ],
  [
    'mailbox_full',
    /(?:postfach|mailbox|speicher|kontingent|quota)[^.。]{0,40}(?:voll|.{1,2}berschritten|ersch.{1,2}pft|.{1,2}berf.{1,2}llt)|bo.te (?:aux lettres |de r.ception |mail )?(?:du destinataire )?(?:est )?pleine|quota (?:d.pass|atteint)|buz.n (?:de \S+ )?(?:est. )?llen|(?:cuota|espacio)[^.]{0,30}(?:excedid|superad|agotad)|bandeja de entrada[^.]{0,20}llena|casella[^.]{0,40}piena|(?:quota|spazio)[^.]{0,30}(?:superat|esaurit)|caixa (?:de (?:correio|entrada|mensagens) )?(?:do destinat.rio )?(?:est. )?cheia|(?:cota|quota|espa.o)[^.]{0,30}(?:excedid|esgotad|ultrapassad)|(?:ящик|почтовый ящик)[^.]{0,40}(?:переполн|полон|заполнен)|переполнен|квота|превышен[^.]{0,20}(?:размер|объ[её]м|лимит) (?:почтового )?ящик|(?:メールボックス|受信(?:箱|トレイ)|容量)[^。]{0,20}(?:一杯|いっぱい|満杯|超過|超え|不足)/iu,
  ],
  [
    'mailbox_disabled',
    /(?:postfach|konto|account|adresse|benutzer)[^.。]{0,30}(?:deaktiviert|gesperrt|inaktiv|geschlossen|stillgelegt)|(?:compte|bo.te|adresse|utilisateur)[^.]{0,30}(?:d.sactiv|suspend|inacti|ferm|bloqu)|(?:cuenta|buz.n|usuario|direcci.n)[^.]{0,30}(?:desactivad|suspendid|inactiv|deshabilitad|bloquead|cerrad)|(?:account|casella|utente|indirizzo)[^.]{0,30}(?:disattiv|sospes|inattiv|disabilit|bloccat|chius)|(?:conta|caixa|usu.rio|endere.o)[^.]{0,30}(?:desativad|suspens|inativ|desabilitad|bloquead|encerrad)|(?:ящик|аккаунт|уч[её]тная запись|пользователь|адрес)[^.]{0,30}(?:отключ|заблокирован|неактив|удал[её]н|закрыт)|(?:アカウント|メールボックス|ユーザー?)[^。]{0,20}(?:無効|停止|休止|削除|利用できません)/iu,
  ],
  [
    'invalid_address',
    /(?:domain|dom.{1,2}ne|host|server)[^.。]{0,40}(?:nicht gefunden|existiert nicht|unbekannt)|(?:domaine|serveur|h.te)[^.]{0,30}(?:introuvable|inconnu|n.existe pas)|(?:dominio|servidor)[^.]{0,30}(?:no (?:se (?:ha )?(?:encontr|pudo encontrar)|existe)|desconocid)|dominio[^.]{0,30}(?:non (?:.{1,3} stato )?trovat|inesistent|non esiste|sconosciut)|dom.nio[^.]{0,30}(?:n.{1,2}o (?:foi )?(?:encontrad|exist)|inexistent|desconhecid)|(?:домен|сервер|хост)[^.]{0,30}(?:не (?:найден|существует)|неизвест)|ドメイン[^。]{0,20}(?:見つかりません|存在しません|不明)|адрес[^.]{0,20}(?:неверн|некоррект)|ung.{1,2}ltige (?:e-?mail-?)?adresse|adresse (?:\S+ )?(?:invalide|non valide)|direcci.n (?:\S+ )?(?:no v.lida|inv.lida|incorrecta)|indirizzo (?:\S+ )?non valido|endere.o (?:\S+ )?inv.lido|アドレスが(?:正しくありません|無効)/iu,
  ],
  [
    'user_unknown',
    /(?:empf.{1,2}nger|benutzer|postfach|adresse|nutzer|teilnehmer)[^.。]{0,60}(?:unbekannt|existiert nicht|nicht (?:gefunden|vorhanden|bekannt|existent|gefunden werden)|nicht mehr)|(?:kein|unbekannter) (?:benutzer|empf.{1,2}nger|postfach)|(?:destinataire|utilisateur|adresse|bo.te|compte)[^.]{0,60}(?:inconnu|introuvable|n.existe (?:pas|plus)|n.a pas .t. trouv|inexistant)|(?:usuario|destinatario|direcci.n|buz.n|cuenta)[^.]{0,60}(?:desconocid|no (?:existe|se (?:ha )?(?:encontr|pudo encontrar)|encontrad)|inexistent)|no se (?:ha )?(?:encontr\S+|podido encontrar) (?:la |el )?(?:direcci.n|usuario|destinatario|buz.n)|(?:utente|destinatario|indirizzo|casella|account)[^.]{0,60}(?:sconosciut|inesistent|non (?:.{1,3} stato )?trovat|non esiste)|(?:usu.rio|destinat.rio|endere.o|caixa|conta)[^.]{0,60}(?:desconhecid|n.{1,2}o (?:foi )?(?:encontrad|exist|localizad)|inexistent)|(?:пользовател|получател|адресат|адрес|ящик)[^.]{0,60}(?:не (?:найден|существует|зарегистрирован|обнаружен)|неизвест)|(?:нет такого|неизвестный) (?:пользовател|получател|адрес)|такого (?:пользователя|адреса|ящика)[^.]{0,20}нет|(?:ユーザー?|宛先|アドレス|受信者|メールボックス)[^。]{0,30}(?:見つかりません|見つからない|存在しません|存在しない|不明|ありません)|アドレス不明|宛先不明/iu,
  ],
  [
    'spam_blocked',
    /spam|unerw.{1,2}nschte|ind.sirable|pourriel|no deseado|indesiderata|спам|迷惑メール/iu,
  ],
  [
    'rate_limited',
    /zu viele (?:nachrichten|verbindungen|e-?mails|empf)|trop de (?:messages|connexions|destinataires)|demasiad[oa]s (?:mensajes|conexiones|destinatarios)|troppi (?:messaggi|destinatari)|troppe connessioni|(?:muitas|demasiadas) (?:mensagens|conex.es)|слишком много (?:писем|сообщений|соединений|получателей)|превышен[^.]{0,20}лимит (?:отправки|писем|сообщений)|送信(?:数|制限)|通数制限/iu,
  ],
  [
    'policy_blocked',
    /richtlinie|abgelehnt|zur.{1,2}ckgewiesen|verweigert|nicht berechtigt|blockiert|zu gro.{1,2}|refus|rejet|strat.gie|non autoris|trop volumineux|rechazad|pol.tica|denegad|no autorizad|demasiado grande|rifiutat|respint|non autorizzat|troppo grande|rejeitad|recusad|negad|n.{1,2}o autorizad|muito grande|отклонен|отклонён|отказ|запрещ|политик|слишком (?:большой|велик)|拒否|許可され|ポリシー|大きすぎ|サイズ/iu,
  ],
  [
    'server_error',
    /zeit.{1,2}berschreitung|nicht erreichbar|keine verbindung|verbindung[^.]{0,40}(?:nicht|fehl|abgelehnt|unterbrochen)|tempor.r|vor.{1,2}bergehend|d.lai (?:d.attente )?(?:d.pass|expir)|injoignable|connexion[^.]{0,30}(?:impossible|refus|perdue|.chou)|temporaire|tiempo (?:de espera )?(?:agotad|excedid)|no (?:se pudo|ha sido posible) conectar|inaccesible|temporal|tempo scaduto|irraggiungibile|impossibile (?:connettersi|stabilire)|temporane|tempo (?:limite|esgotado)|(?:n.{1,2}o foi poss.vel|falha ao) conectar|inacess.vel|тайм-?аут|врем(?:я|ени) (?:ожидания )?(?:ист|превы)|не (?:удалось|удается|удаётся) (?:соединиться|подключиться|установить соединение)|недоступ|временн|タイムアウト|接続(?:でき|が(?:拒否|切断))|一時的|応答(?:が)?(?:ありません|なし)/iu,
  ],
]
