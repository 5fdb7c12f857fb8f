import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { MessageText } from '../schemas/message.ts'
import { Strict } from '../schemas/primitives.ts'

// Asked of the sync-worker that holds the account's shard: exchange `commands`, key `shard.<n>`.

/** The texts of a message. */
export const getText = defineCommand({
  name: 'getText',
  request: Strict({
    account: Type.String(),
    text: Type.String(),
    textType: Type.Union([Type.Literal('plain'), Type.Literal('html'), Type.Literal('*')]),
    maxBytes: Type.Optional(Type.Integer()),
    webSafeHtml: Type.Optional(Type.Boolean()),
  }),
  response: MessageText,
})

/** The bytes of an attachment, decoded from the transfer encoding, streamed. */
export const getAttachment = defineCommand({
  name: 'getAttachment',
  request: Strict({ account: Type.String(), attachment: Type.String() }),
  response: Type.Object({
    contentType: Type.String(),
    charset: Type.Optional(Type.String()),
    filename: Type.Optional(Type.String()),
    /** Bytes as the server has them, before decoding. */
    encodedSize: Type.Optional(Type.Integer()),
  }),
  streams: true,
})
