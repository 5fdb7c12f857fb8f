import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { Strict } from '../schemas/primitives.ts'

/**
 * Adds a message to a folder. Its bytes are a row of `uploads`, which is gone when this is answered, whatever came of it; a request that
 * comes again finds none and stores nothing twice.
 */
export const uploadMessage = defineCommand({
  name: 'uploadMessage',
  request: Strict({
    account: Type.String(),
    upload: Type.String(),
    /** Bytes of the message. */
    size: Type.Integer(),
    /** A folder path or a special use. */
    path: Type.String(),
    flags: Type.Optional(Type.Array(Type.String())),
    internalDate: Type.Optional(Type.String()),
  }),
  response: Type.Object({
    /** Absent where the server does not say under which UID the message is. */
    id: Type.Optional(Type.String()),
    path: Type.String(),
    uid: Type.Optional(Type.Integer()),
    uidValidity: Type.Optional(Type.String()),
    seq: Type.Optional(Type.Integer()),
  }),
})
