import { char, isDigit } from './characters.ts'

type State = 'none' | 'open' | 'digits' | 'closed' | 'return'

/**
 * Detects the marker of a literal, `{123}` at the end of a line, by the rule of imapflow: quotes
 * have no meaning, which a broken server may leave open.
 */
export class LiteralMarker {
  #state: State = 'none'
  #length = 0

  /** Reads the next byte of a line. Returns the length of a literal that begins after the byte. */
  read(byte: number): number | undefined {
    if (byte === char.openBrace) {
      this.#state = 'open'
      this.#length = 0
      return undefined
    }
    if (this.#state === 'none') return undefined
    const before = this.#state
    this.#state = next(before, byte)
    if (this.#state === 'digits') this.#length = this.#length * 10 + byte - char.zero
    return byte === char.lf && (before === 'closed' || before === 'return')
      ? this.#length
      : undefined
  }
}

function next(state: State, byte: number): State {
  if (isDigit(byte) && (state === 'open' || state === 'digits')) return 'digits'
  if (byte === char.closeBrace && state === 'digits') return 'closed'
  return byte === char.cr && state === 'closed' ? 'return' : 'none'
}
