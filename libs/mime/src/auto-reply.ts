const subjects =
  /^\s*(?:auto(?:matic)?[ -]?(?:reply|response)\b|out of (?:the )?office\b|ooo:|oof:)/i

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
