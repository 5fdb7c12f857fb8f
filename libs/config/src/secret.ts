import { inspect } from 'node:util'

/** A value that prints as `***` wherever it may end up: logs, errors, JSON, templates. `reveal` is the only way to it. */
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
