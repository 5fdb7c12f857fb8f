/** What servers and mail programs begin the subject with, in the languages of most of them. */
const subjects = new RegExp(
  `^\\s*(?:${[
    'auto(?:matic)?[ -]?(?:reply|response)\\b|out of (?:the )?office\\b|ooo:|oof:',
    '(?:automatische (?:antwort|r.ckmeldung)|abwesenheits(?:notiz|nachricht|agent)|autoreply)',
    'r.ponse automatique|absen(?:t|ce) du bureau',
    'respuesta autom.tica|fuera de la oficina',
    'risposta automatica|fuori (?:sede|ufficio)',
    'resposta autom.tica|fora do escrit.rio',
    'автоматический ответ|автоответ',
    '自動(?:応答|返信)|不在(?:通知|のお知らせ)',
  ].join('|')})`,
  'iu',
)

/**
 * Whether a message was written by a machine in answer to another: vacation notes and the like. By headers as `parseHeaders` gives
 * them; RFC 3834 §5 and what was used before it.
 */
export function isAutoReply(headers: Record<string, string[]>): boolean {
  const first = (name: string) => headers[name]?.[0]?.trim().toLowerCase() ?? ''
  const subject = first('subject')
  return (
    first('auto-submitted').startsWith('auto-replied') ||
    ['auto_reply', 'auto-reply'].includes(first('precedence')) ||
    ['x-auto-response-suppress', 'x-autoreply', 'x-autorespond', 'x-autoresponder'].some(
      (name) => name in headers,
    ) ||
    subjects.test(subject) ||
    (subject.startsWith('auto:') && 'in-reply-to' in headers)
  )
}
