/** SQL statement of a database migration. */
export interface Statement {
  /**
   * Normalized text of the SQL statement: in lower case, with single spaces, without comments,
   * without the content of strings and function bodies, and without the schema name `public`.
   */
  readonly text: string
  /** Line number in the migration file of the statement's first word. The first line is 1. */
  readonly line: number
}

/**
 * Pattern of an SQL token: comment, string, function body, quoted name, separator, word or any
 * other character.
 */
const token =
  /--[^\n]*|\/\*[\s\S]*?\*\/|e'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|(?<body>\$\w*\$)[\s\S]*?\k<body>|"(?:[^"]|"")*"|;|\s+|\w+|./gi

/** Splits the text of a migration into its SQL statements. */
export function splitStatements(source: string): Statement[] {
  const statements: Statement[] = []
  let text = ''
  let line = 1
  let startLine = 1
  const end = () => {
    const normal = text
      .trim()
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/\bpublic\./g, '')
    if (normal !== '') statements.push({ text: normal.toLowerCase(), line: startLine })
    text = ''
  }
  for (const [part] of source.matchAll(token)) {
    if (part === ';') end()
    else {
      const plain = withoutContent(part)
      if (text.trim() === '' && plain.trim() !== '') startLine = line
      text += plain
    }
    line += part.split('\n').length - 1
  }
  end()
  return statements
}

function withoutContent(part: string): string {
  if (part.startsWith('--') || part.startsWith('/*')) return ' '
  if (/^e?'/i.test(part)) return "''"
  if (/^\$\w*\$/.test(part)) return '$$'
  return part
}

/** Splits an SQL list at its commas. Commas inside parentheses do not split the list. */
export function splitList(list: string): string[] {
  const parts: string[] = ['']
  let depth = 0
  for (const char of list) {
    if (char === '(') depth += 1
    if (char === ')') depth -= 1
    if (char === ',' && depth === 0) parts.push('')
    else parts.push((parts.pop() ?? '') + char)
  }
  return parts.map((part) => part.trim())
}
