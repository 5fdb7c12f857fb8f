/** Selected members of a Gmail resource by name. The value true selects a whole member. */
type Selection = Map<string, Selection | true>

/**
 * Selects the members of a resource that the parameter `fields` names, such as `a,b(c,d/e),*`
 * (guide "Performance tips" of the Gmail API). Undefined if the parameter is invalid.
 */
export function selectFields(resource: unknown, fields: string): unknown {
  if (fields === '*') return resource
  const selection = new FieldParser(fields).parse()
  return selection && pick(resource, selection)
}

function pick(value: unknown, selection: Selection): unknown {
  if (Array.isArray(value)) return value.map((each) => pick(each, selection))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).flatMap(([name, member]) => {
    const inner = selection.get(name) ?? selection.get('*')
    if (inner === undefined) return []
    return [[name, inner === true ? member : pick(member, inner)]]
  })
  return Object.fromEntries(members)
}

class FieldParser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): Selection | undefined {
    const selection = this.#list()
    return this.#at === this.#text.length ? selection : undefined
  }

  #list(): Selection | undefined {
    const selection: Selection = new Map()
    do {
      const [name] = /^(?:\w+|\*)/.exec(this.#text.slice(this.#at)) ?? []
      if (name === undefined) return undefined
      this.#at += name.length
      const inner = this.#inner()
      if (!inner) return undefined
      selection.set(name, inner)
    } while (this.#take(','))
    return selection
  }

  #inner(): Selection | true | undefined {
    if (this.#take('/')) {
      const [name] = /^\w+/.exec(this.#text.slice(this.#at)) ?? []
      if (name === undefined) return undefined
      this.#at += name.length
      const inner = this.#inner()
      return inner && new Map([[name, inner]])
    }
    if (!this.#take('(')) return true
    const list = this.#list()
    return this.#take(')') ? list : undefined
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }
}
