import { Recent } from './recent.ts'

/** How long auth-bridge may take to open something, in milliseconds. */
export const openMs = 5_000
/** Some ten thousands of usual length, or a thousand of the longest. */
const maxCharacters = 16_000_000

/** What auth-bridge has opened or is about to, by name: asked for once, and again only if that failed. */
export class Opened {
  readonly #known = new Recent<Promise<string>>(maxCharacters)

  get(name: string): Promise<string> | undefined {
    return this.#known.get(name)
  }

  keep(name: string, opened: Promise<string>): Promise<string> {
    this.#known.set(name, opened)
    opened.catch(() => this.#known.delete(name))
    return opened
  }
}
