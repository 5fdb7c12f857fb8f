import type { BodyPart } from '@posthorn/backends'

/** A part with text that is shown as the message's body. */
export interface TextPart {
  part: string
  charset: string | undefined
  /** Bytes as transferred. */
  size: number
}

export interface AttachedPart {
  part: string
  contentType: string
  size: number
  /** Referred to from the HTML of the same multipart/related. */
  embedded: boolean
  inline: boolean
  contentId?: string
  filename?: string
  /** Of a calendar part: REQUEST, REPLY … */
  method?: string
  /** Of a part that is text. */
  charset?: string
}

/** What a message consists of. */
export interface Outline {
  plain: TextPart[]
  html: TextPart[]
  attachments: AttachedPart[]
  /** What it was read from. */
  structure: BodyPart
}

/** A structure may nest without end and name parts by the thousand: beyond these the rest is ignored. */
const maxDepth = 50
const maxParts = 1_000

/** Tells texts from attachments in a BODYSTRUCTURE. Messages inside of messages are attachments as a whole. Pure. */
export function parseOutline(structure: BodyPart): Outline {
  const outline: Outline = { plain: [], html: [], attachments: [], structure }
  let seen = 0
  const visit = (node: BodyPart, parent: BodyPart | undefined, depth: number) => {
    if (depth > maxDepth || ++seen > maxParts) return
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
  const type = node.type.toLowerCase()
  if ((type === 'text/plain' || type === 'text/html') && isBody(node, parent)) {
    const texts = type === 'text/plain' ? outline.plain : outline.html
    texts.push({
      part: partNumber(node),
      charset: parameter(node.parameters, 'charset'),
      size: node.size ?? 0,
    })
  } else outline.attachments.push(describeAttachment(node, parent))
}

/** Text is an attachment where it is called one, or has a name outside of a multipart/alternative. */
function isBody(node: BodyPart, parent: BodyPart | undefined): boolean {
  if (node.disposition?.toLowerCase() === 'attachment') return false
  return filenameOf(node) === undefined || parent?.type.toLowerCase() === 'multipart/alternative'
}

function describeAttachment(node: BodyPart, parent: BodyPart | undefined): AttachedPart {
  const filename = filenameOf(node)
  const method = parameter(node.parameters, 'method')
  const charset = parameter(node.parameters, 'charset')
  return {
    part: partNumber(node),
    contentType: node.type.toLowerCase(),
    size: node.size ?? 0,
    embedded: node.id !== undefined && parent?.type.toLowerCase() === 'multipart/related',
    inline: node.disposition?.toLowerCase() === 'inline',
    ...(node.id === undefined ? {} : { contentId: node.id }),
    ...(filename === undefined ? {} : { filename }),
    ...(method === undefined ? {} : { method }),
    ...(charset === undefined ? {} : { charset }),
  }
}

/** What a part is called and made of. */
export function describePart(node: BodyPart): {
  contentType: string
  charset: string | undefined
  filename: string | undefined
} {
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

/** RFC 3501 §6.4.5: the only part of a message without parts is number 1. */
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
