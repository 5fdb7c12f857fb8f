import { defineCommand } from '@posthorn/contracts/define'
import { Type } from 'typebox'

export const greet = defineCommand({
  name: 'greet',
  request: Type.Object({ name: Type.String() }, { additionalProperties: false }),
  response: Type.Object({ words: Type.String() }),
})

/** RPC command that only reads, so that it may be executed again. */
export const readGreeting = defineCommand({ ...greet, name: 'readGreeting', repeatable: true })

export const redeem = defineCommand({
  name: 'redeem',
  request: Type.Object({ code: Type.String() }, { additionalProperties: false }),
  response: Type.Object({ words: Type.String() }),
  atMostOnce: true,
})

export const download = defineCommand({
  name: 'download',
  request: Type.Object({}, { additionalProperties: false }),
  response: Type.Object({ size: Type.Optional(Type.Integer()) }),
  streams: true,
})
