import { inspect } from 'node:util'

/**
 * Secret value that prints as `***` in logs, errors, JSON and templates. Only `reveal` returns the
 * value.
 */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '***'
  }

  toJSON(): string {
    return '***'
  }

  [inspect.custom](): string {
    return '***'
  }
}
