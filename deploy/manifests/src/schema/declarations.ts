/** Type of a manifest value, read from a TypeScript declaration file. */
export type Type =
  | { kind: 'any' }
  | { kind: 'scalar'; name: 'string' | 'number' | 'boolean' }
  | { kind: 'literal'; value: string }
  | { kind: 'array'; items: Type }
  | {
      kind: 'object'
      fields: ReadonlyMap<string, TypeField>
      bases: readonly Type[]
      values?: Type
    }
  | { kind: 'reference'; name: string }
  | { kind: 'union'; types: readonly Type[] }

export interface TypeField {
  type: Type
  isOptional: boolean
}

export interface DeclarationFile {
  /**
   * Types in a declaration file, by name. An export under another name is a reference to the type.
   */
  types: ReadonlyMap<string, Type>
  /**
   * Specifiers of the modules from which a TypeScript declaration file imports types, by name of
   * the imported type.
   */
  imports: ReadonlyMap<string, string>
}

const token =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|[\w$]+|[{}[\]()<>;:,|?*=.]/g

/**
 * Parses a TypeScript declaration file with interfaces and type aliases. Classes and other
 * statements are skipped.
 *
 * @throws Error for a type expression that `Type` cannot represent
 */
export function parseDeclarations(text: string): DeclarationFile {
  const tokens = [...text.matchAll(token)]
    .map(([match]) => match)
    .filter((match) => !match.startsWith('/'))
  return new Parser(tokens).parseFile()
}

class Parser {
  readonly #tokens: readonly string[]
  #position = 0
  readonly #types = new Map<string, Type>()
  readonly #imports = new Map<string, string>()

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  parseFile(): DeclarationFile {
    while (this.#position < this.#tokens.length) this.#parseStatement()
    return { types: this.#types, imports: this.#imports }
  }

  #parseStatement(): void {
    this.#accept('export')
    this.#accept('declare')
    if (this.#accept('import')) return this.#parseImport()
    if (this.#accept('interface')) return this.#parseInterface()
    if (this.#accept('type')) {
      if (this.#peek() === '{') return this.#parseAliases()
      const name = this.#next()
      this.#expect('=')
      this.#types.set(name, this.#parseType())
      this.#accept(';')
      return
    }
    this.#skipStatement()
  }

  /** Parses an import of the form `import { A, B } from "module";`. */
  #parseImport(): void {
    this.#accept('type')
    const names: string[] = []
    while (this.#peek() !== 'from') names.push(this.#next())
    this.#expect('from')
    const specifier = unquote(this.#next())
    for (const name of names) this.#imports.set(name, specifier)
    this.#accept(';')
  }

  /** Parses aliases of the form `export type { A as B, C as D };`. */
  #parseAliases(): void {
    this.#expect('{')
    while (!this.#accept('}')) {
      const name = this.#next()
      if (this.#accept('as')) this.#types.set(this.#next(), { kind: 'reference', name })
      this.#accept(',')
    }
    this.#accept(';')
  }

  #parseInterface(): void {
    const name = this.#next()
    const bases: Type[] = []
    if (this.#accept('extends'))
      do {
        bases.push(this.#parsePrimary())
      } while (this.#accept(','))
    this.#types.set(name, this.#parseMembers(bases))
  }

  #parseMembers(bases: readonly Type[]): Type {
    this.#expect('{')
    const fields = new Map<string, TypeField>()
    let values: Type | undefined
    while (!this.#accept('}')) {
      if (this.#accept('[')) {
        while (this.#next() !== ']') continue
        this.#expect(':')
        values = this.#parseType()
      } else {
        const name = unquote(this.#next())
        const isOptional = this.#accept('?')
        this.#expect(':')
        fields.set(name, { type: this.#parseType(), isOptional })
      }
      this.#accept(';')
    }
    // An interface without members accepts any object, as `{}` does in the declarations.
    if (fields.size === 0 && bases.length === 0 && !values) return { kind: 'any' }
    return { kind: 'object', fields, bases, ...(values ? { values } : {}) }
  }

  #parseType(): Type {
    this.#accept('|')
    const types = [this.#parsePrimary()]
    while (this.#accept('|')) types.push(this.#parsePrimary())
    const [first] = types
    return types.length === 1 && first ? first : { kind: 'union', types }
  }

  #parsePrimary(): Type {
    if (this.#peek() === '{') return this.#parseMembers([])
    const name = this.#next()
    if (/^["']/.test(name)) return { kind: 'literal', value: unquote(name) }
    if (name === 'string' || name === 'number' || name === 'boolean')
      return { kind: 'scalar', name }
    if (name === 'unknown' || name === 'any' || name === 'object') return { kind: 'any' }
    if (!/^[A-Z]/.test(name)) throw new Error(`type "${name}" is not supported`)
    if (name !== 'Array') return { kind: 'reference', name }
    this.#expect('<')
    const items = this.#parseType()
    this.#expect('>')
    return { kind: 'array', items }
  }

  /** Skips the rest of a statement in a declaration file, including nested blocks. */
  #skipStatement(): void {
    let depth = 0
    while (this.#position < this.#tokens.length) {
      const current = this.#next()
      if (current === '{') depth++
      if (current === '}') depth--
      if (depth === 0 && (current === '}' || current === ';')) return
    }
  }

  #peek(): string | undefined {
    return this.#tokens[this.#position]
  }

  #next(): string {
    const current = this.#tokens[this.#position++]
    if (current === undefined) throw new Error('the declaration ends early')
    return current
  }

  #accept(expected: string): boolean {
    if (this.#peek() !== expected) return false
    this.#position++
    return true
  }

  #expect(expected: string): void {
    const current = this.#next()
    if (current !== expected) throw new Error(`"${current}" instead of "${expected}"`)
  }
}

function unquote(text: string): string {
  return /^["']/.test(text) ? text.slice(1, -1) : text
}
