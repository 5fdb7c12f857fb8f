import { defined } from '@posthorn/contracts/defined'
import type { MessageStructureObject } from 'imapflow'
import type { BodyPart } from '../../mail-session.ts'
import { clean, cleanIfPresent } from '../text.ts'

/**
 * Maximum nesting of MIME parts in a body structure. Parts that are nested more deeply are omitted.
 */
const maxDepth = 64

/**
 * Converts the BODYSTRUCTURE of a message, with the part numbers of RFC 9051 §6.4.5. Numbers within
 * a nested message continue its part number: if part 2 is an attached plain message, its text is
 * part 2.1. An attached message with a multipart has no number for that multipart.
 */
export function toBodyPart(node: MessageStructureObject): BodyPart {
  return toNumberedPart(node, { number: [], isMessage: true })
}

/**
 * Parent of a MIME part: the part number of the parent, and whether the parent is a message, whose
 * only body is part 1.
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
 * Name of the body section with a MIME part, for a FETCH command. Some servers know the body of a
 * message without multipart only as TEXT.
 */
export function sectionOf(root: BodyPart, part: string): string {
  return part === '1' && root.part === '1' ? 'TEXT' : part
}

/** Finds the MIME part of a message by its part number. */
export function findPart(root: BodyPart, part: string): BodyPart | undefined {
  if (root.part === part) return root
  for (const child of root.childNodes ?? []) {
    const match = findPart(child, part)
    if (match) return match
  }
  return undefined
}
