import { defined } from '@posthorn/contracts/defined'
import { constants, openAsBlob } from 'node:fs'
import { access } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import type { Address, Binary, Submission } from '@posthorn/client'
import { UsageError } from '../../exit-codes.ts'
import { type InputContext, inputError, openInput, readInput } from '../../io/input.ts'

/** Values of the options of the command `send`. */
export interface SendOptions {
  to?: string[]
  cc?: string[]
  bcc?: string[]
  from?: string
  replyTo?: string
  subject?: string
  text?: string
  textFile?: string
  htmlFile?: string
  attach?: string[]
  raw?: string
  sendAt?: string
  idempotencyKey?: string
  wait?: boolean
}

/**
 * Composes the API request that submits a message. Attachments and whole messages are not read into
 * memory: the client sends them in pieces.
 */
export async function composeSubmission(
  options: SendOptions,
  input: InputContext,
): Promise<Submission> {
  checkOptions(options)
  const { to, cc, bcc, from, replyTo, subject, sendAt, attach = [] } = options
  const attachments = await Promise.all(attach.map((path) => readAttachment(path)))
  return defined({
    to: to?.map(parseAddress),
    cc: cc?.map(parseAddress),
    bcc: bcc?.map(parseAddress),
    from: from === undefined ? undefined : parseAddress(from),
    replyTo: replyTo === undefined ? undefined : [parseAddress(replyTo)],
    subject,
    text: options.text ?? (await readTextFile(options.textFile, input)),
    html: await readTextFile(options.htmlFile, input),
    raw: options.raw === undefined ? undefined : await openBytes(options.raw, input),
    attachments: attachments.length === 0 ? undefined : attachments,
    sendAt,
  })
}

function checkOptions(options: SendOptions): void {
  const { to, cc, bcc, text, textFile, htmlFile, raw } = options
  if (text !== undefined && textFile !== undefined)
    throw new UsageError('--text and --text-file exclude each other')
  if ([textFile, htmlFile, raw].filter((path) => path === '-').length > 1)
    throw new UsageError('only one file can be standard input')
  if (raw !== undefined) {
    if ([text, textFile, htmlFile, options.attach].some((value) => value !== undefined))
      throw new UsageError('--raw is a whole message: leave out texts and attachments')
    return
  }
  if (!to && !cc && !bcc) throw new UsageError('name a recipient with --to')
  if ([text, textFile, htmlFile].every((value) => value === undefined))
    throw new UsageError('write the message with --text, --text-file or --html-file')
}

/** Email address with or without a name: `Ben <ben@example.com>` or `ben@example.com`. */
export function parseAddress(text: string): Address {
  const [, quoted, name = quoted, address] =
    /^\s*(?:"((?:[^"\\]|\\.)*)"|([^<>"]*?))\s*<([^<>\s]+)>\s*$/.exec(text) ?? []
  if (address === undefined) return { address: text.trim() }
  const plain = (name ?? '').replace(/\\(.)/g, '$1')
  return plain === '' ? { address } : { name: plain, address }
}

async function readTextFile(
  path: string | undefined,
  input: InputContext,
): Promise<string | undefined> {
  return path === undefined ? undefined : readInput(path, input)
}

async function readAttachment(path: string) {
  return { filename: basename(path), content: await openBytes(path) }
}

async function openBytes(path: string, input?: InputContext): Promise<Binary> {
  if (path === '-' && input)
    return Readable.toWeb(openInput(path, input)) as ReadableStream<Uint8Array>
  await access(path, constants.R_OK).catch((error: unknown) => {
    throw inputError(path, error)
  })
  return openAsBlob(path)
}
