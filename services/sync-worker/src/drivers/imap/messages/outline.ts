import type { BodyPart } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'

/** Text part that is shown as the message's body. */
export interface TextPart {
  part: string
  charset: string | undefined
  /** Size of the text part: bytes in transfer encoding. */
  size: number
}

export interface AttachedPart {
  part: string
  contentType: string
  /** Size of the attachment: bytes in transfer encoding. */
  size: number
  /** True if the HTML of the same multipart/related may refer to the part. */
  embedded: boolean
  inline: boolean
  contentId?: string
  filename?: string
  /** Method of a calendar attachment: REQUEST, REPLY, … */
  method?: string
  charset?: string
}

/** Text parts and attachments of a message. */
export interface Outline {
  plain: TextPart[]
  html: TextPart[]
  attachments: AttachedPart[]
  /** BODYSTRUCTURE that the outline was built from. */
  structure: BodyPart
}

/** Limits of nesting and number of MIME parts in a message; further parts are ignored. */
const maxDepth = 50
const maxParts = 1_000

/**
 * Separates texts from attachments in a BODYSTRUCTURE. A nested message is one attachment. Pure.
 */
export function parseOutline(structure: BodyPart): Outline {
  const outline: Outline = { plain: [], html: [], attachments: [], structure }
  let count = 0
  const visit = (node: BodyPart, parent: BodyPart | undefined, depth: number) => {
    if (depth > maxDepth || ++count > maxParts) return
    if (isMultipart(node)) for (const child of node.childNodes ?? []) visit(child, node, depth + 1)
    else addPart(outline, node, parent)
  }
  visit(structure, undefined, 0)
  return outline
}

function isMultipart({ type }: BodyPart): boolean {
  return /^multipart\//i.test(type)
}

function addPart(outline: Outline, node: BodyPart, parent: BodyPart | undefined): void {
  const { contentType, charset } = describePart(node)
  const isText = contentType === 'text/plain' || contentType === 'text/html'
  if (isText && isBody(node, parent)) {
    const texts = contentType === 'text/plain' ? outline.plain : outline.html
    texts.push({ part: partNumber(node), charset, size: node.size ?? 0 })
  } else outline.attachments.push(describeAttachment(node, parent))
}

/**
 * True if a MIME part is shown as the message's body. False if the disposition is attachment, or
 * for a named part outside multipart/alternative.
 */
function isBody(node: BodyPart, parent: BodyPart | undefined): boolean {
  if (node.disposition?.toLowerCase() === 'attachment') return false
  return filenameOf(node) === undefined || parent?.type.toLowerCase() === 'multipart/alternative'
}

function describeAttachment(node: BodyPart, parent: BodyPart | undefined): AttachedPart {
  const { contentType, charset, filename } = describePart(node)
  return defined({
    part: partNumber(node),
    contentType,
    size: node.size ?? 0,
    embedded: node.id !== undefined && parent?.type.toLowerCase() === 'multipart/related',
    inline: node.disposition?.toLowerCase() === 'inline',
    contentId: node.id,
    filename,
    method: parameter(node.parameters, 'method'),
    charset,
  })
}

/** Media type, charset and file name of a MIME part. */
export function describePart(node: BodyPart) {
  return {
    contentType: node.type.toLowerCase(),
    charset: parameter(node.parameters, 'charset'),
    filename: filenameOf(node),
  }
}

function filenameOf(node: BodyPart): string | undefined {
  const name =
    parameter(node.dispositionParameters, 'filename') ?? parameter(node.parameters, 'name')
  return name?.slice(0, 256)
}

/** Number of a MIME part. RFC 3501 §6.4.5: a message that is not multipart has only part 1. */
function partNumber({ part }: BodyPart): string {
  return part ?? '1'
}

function parameter(
  parameters: Record<string, string> | undefined,
  name: string,
): string | undefined {
  if (!parameters) return undefined
  const value = Object.entries(parameters).find(([key]) => key.toLowerCase() === name)?.[1]
  return value === '' ? undefined : value
}
