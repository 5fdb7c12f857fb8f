import { defined } from '@posthorn/contracts/defined'
import type { MessageStructureObject } from 'imapflow'
import type { BodyPart } from '../../mail-session.ts'
import { clean, cleanIfPresent } from '../text.ts'

/**
 * Maximum nesting of MIME parts in a body structure. Parts that are nested more deeply are omitted.
 */
const maxDepth = 64

/**
 * Converts BODYSTRUCTURE of a message with the part numbers of RFC 9051 §6.4.5. A nested message
 * starts its own numbering: the text of an attached plain message at 2 is 2.1, an attached
 * multipart has no number.
 */
export function toBodyPart(node: MessageStructureObject): BodyPart {
  return toNumberedPart(node, { number: [], isMessage: true })
}

/**
 * Parent of a MIME part: its part number, and whether the parent is a message, whose only body is
 * part 1.
 */
interface ParentNode {
  number: number[]
  isMessage: boolean
}

function toNumberedPart(node: MessageStructureObject, { number, isMessage }: ParentNode): BodyPart {
  const isMultipart = node.type.startsWith('multipart/')
  const own = isMessage && !isMultipart ? [...number, 1] : number
  const parentOf = (at: number): ParentNode =>
    isMultipart ? { number: [...own, at + 1], isMessage: false } : { number: own, isMessage: true }
  const children = own.length < maxDepth ? node.childNodes : undefined
  return defined({
    part: isMessage && isMultipart ? undefined : own.join('.'),
    ...describeNode(node),
    childNodes: children?.map((child, at) => toNumberedPart(child, parentOf(at))),
  })
}

function describeNode(node: MessageStructureObject): Omit<BodyPart, 'part' | 'childNodes'> {
  return defined({
    type: clean(node.type),
    parameters: node.parameters && cleanValues(node.parameters),
    id: cleanIfPresent(node.id),
    encoding: cleanIfPresent(node.encoding),
    size: node.size,
    disposition: cleanIfPresent(node.disposition),
    dispositionParameters: node.dispositionParameters && cleanValues(node.dispositionParameters),
  })
}

function cleanValues(parameters: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [clean(name), clean(value)]),
  )
}

/**
 * Section of a MIME part in a FETCH command. For a message without multipart some servers know the
 * body only as TEXT.
 */
export function sectionOf(root: BodyPart, part: string): string {
  return part === '1' && root.part === '1' ? 'TEXT' : part
}

/** MIME part of a message with this part number. */
export function findPart(root: BodyPart, part: string): BodyPart | undefined {
  if (root.part === part) return root
  for (const child of root.childNodes ?? []) {
    const match = findPart(child, part)
    if (match) return match
  }
  return undefined
}
