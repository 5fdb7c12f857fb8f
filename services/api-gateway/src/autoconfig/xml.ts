import { XMLParser } from 'fast-xml-parser'

/** XML element. The name is in lower case. The text consists of the element's direct text nodes. */
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
  // Values of XML elements stay strings, because the parser would convert `0993` to the number 993.
  parseTagValue: false,
  parseAttributeValue: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
})

/** Node of the XML parser with `preserveOrder`: one member per node, named after the tag. */
type Node = Readonly<Record<string, unknown>>

/**
 * Parses a small XML document from an untrusted server. Returns undefined for invalid XML, a
 * DOCTYPE or entity declaration, and documents beyond the limits of size, depth or elements.
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

/** Descendants of an XML element that have the given name, in document order. */
export function findAll(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...findAll(child, name),
  ])
}

/** Trimmed text of an XML element's first child with a name; empty if no child has the name. */
export function textOf(element: XmlElement, name: string): string {
  return element.children.find((child) => child.name === name)?.text.trim() ?? ''
}
