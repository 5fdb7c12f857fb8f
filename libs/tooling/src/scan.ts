/**
 * Part of a TypeScript source file: code without literals, a single comment, or the text of a
 * single literal.
 */
export interface SourcePart {
  kind: 'code' | 'comment' | 'literal'
  text: string
  /** Line number at which the part of the TypeScript source starts. The first line is 1. */
  line: number
}

/** Pattern of TypeScript code after which a slash starts a regular expression literal. */
const beforeRegex = /(?:^|[=(,:;!&|?{}[\n+]|=>|\breturn|\btypeof|\bcase)\s*$/

const token =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/g

/**
 * Splits a TypeScript source file into code, comments and literals. A template literal is one
 * literal, including its expressions. Works only for formatted files: this is a scanner for the
 * workspace rules and not a parser.
 */
export function scanSource(source: string): SourcePart[] {
  const parts: SourcePart[] = []
  let line = 1
  let codeStart = 0
  const push = (kind: SourcePart['kind'], text: string) => {
    if (text !== '') parts.push({ kind, text, line })
    line += text.split('\n').length - 1
  }
  token.lastIndex = 0
  for (let match = token.exec(source); match; match = token.exec(source)) {
    const [text] = match
    const isComment = text.startsWith('//') || text.startsWith('/*')
    const isRegex = !isComment && text.startsWith('/')
    if (isRegex && !beforeRegex.test(source.slice(Math.max(0, match.index - 20), match.index))) {
      // the slash is a division, not the start of a regular expression
      token.lastIndex = match.index + 1
      continue
    }
    push('code', source.slice(codeStart, match.index))
    push(isComment ? 'comment' : 'literal', text)
    codeStart = match.index + text.length
  }
  push('code', source.slice(codeStart))
  return parts
}
