import { inspect } from 'node:util'

/**
 * Secret value, by default a text, that prints as `***` in logs, errors, JSON and templates. Only
 * `reveal` returns the value.
 */
export class Secret<T = string> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  reveal(): T {
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
