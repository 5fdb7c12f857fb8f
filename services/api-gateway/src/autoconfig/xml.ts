import { XMLParser } from 'fast-xml-parser'

/** An element: its name in lower case, the text directly in it, and what is in it else. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  readonly text: string
}

const maxCharacters = 64 * 1024
const maxDepth = 20
const maxTags = 2_000

const attributesOf = ':@'
const textOfNode = '#text'

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  // Values stay what they are: `0993` is no number yet.
  parseTagValue: false,
  parseAttributeValue: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
})

/** As the library gives them: a list in the order of the document, a member an element, named by its tag. */
type Node = Readonly<Record<string, unknown>>

/**
 * Reads a small XML document from somebody we do not know. Documents that declare entities, that are large, deep or have many elements,
 * or that are no XML, are none: undefined.
 */
export function parseXml(text: string): XmlElement | undefined {
  if (text.length > maxCharacters || /<!(?:DOCTYPE|ENTITY)/i.test(text)) return undefined
  if (text.split('<').length > 2 * maxTags) return undefined
  try {
    return element('', { '': parser.parse(text) as unknown }, 0)
  } catch {
    return undefined
  }
}

function element(name: string, node: Node, depth: number): XmlElement {
  if (depth > maxDepth) throw new Error('too deep')
  const children: XmlElement[] = []
  let text = ''
  for (const child of (node[name] ?? []) as Node[]) {
    const tag = Object.keys(child).find((key) => key !== attributesOf)
    if (tag === textOfNode) text += String(child[tag])
    else if (tag !== undefined) children.push(element(tag, child, depth + 1))
  }
  const attributes = (node[attributesOf] ?? {}) as Record<string, string>
  return { name: name.toLowerCase(), attributes, children, text }
}

/** All elements of a name below another, at whatever depth. */
export function findAll(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...findAll(child, name),
  ])
}

/** The text of the first child of a name, without the blanks around it. */
export function textOf(element: XmlElement, name: string): string {
  return element.children.find((child) => child.name === name)?.text.trim() ?? ''
}
