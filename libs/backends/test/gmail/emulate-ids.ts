/**
 * Maps ids of the third-party Gmail server `emulate` to the form of Gmail ids: `msg_…` and `thr_…`
 * become 16 hexadecimal digits, and history ids of 21 digits become numbers of 64 bits.
 */
export class EmulateIds {
  readonly #byOwn = new Map<string, string>()
  readonly #byGmail = new Map<string, string>()
  #count = 0
  /**
   * Base below the history ids of the Gmail server `emulate`, which start with the time in
   * milliseconds.
   */
  readonly #base = BigInt(Date.now() - 60_000) * 100_000_000n

  /** Converts ids in a response body of `emulate` to the form of Gmail ids. */
  toGmail(text: string): string {
    return text
      .replace(/(?:msg|thr)_[\w-]{16,20}/g, (own) => this.#gmailId(own))
      .replace(/"(\d{21})"/g, (_, id: string) => `"${BigInt(id) - this.#base}"`)
  }

  /** Converts Gmail ids in the path or body of a request to the ids of the server `emulate`. */
  toEmulate(text: string): string {
    return text
      .replace(/\b19b0[\da-f]{12}\b/g, (id) => this.#byGmail.get(id) ?? id)
      .replace(
        /startHistoryId=(\d+)/,
        (_, id: string) => `startHistoryId=${BigInt(id) + this.#base}`,
      )
  }

  /**
   * Replaces a Gmail message id in this and later responses. No message has the old id afterwards.
   */
  renew(body: string, id: string): string {
    const own = this.#byGmail.get(id) ?? id
    this.#byOwn.delete(own)
    this.#byGmail.delete(id)
    return body.replaceAll(id, this.#gmailId(own))
  }

  #gmailId(own: string): string {
    const mapped = this.#byOwn.get(own)
    if (mapped !== undefined) return mapped
    const id = `19b0${(this.#count += 1).toString(16).padStart(12, '0')}`
    this.#byOwn.set(own, id)
    this.#byGmail.set(id, own)
    return id
  }
}
