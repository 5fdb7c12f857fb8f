import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { MessagePage } from '../schemas/message.ts'
import { Strict } from '../schemas/primitives.ts'
import { Search } from '../schemas/search.ts'

/** One page of what a search in a folder finds, newest first. Only the messages of the page travel. */
export const searchMessages = defineCommand({
  name: 'searchMessages',
  request: Strict({
    account: Type.String(),
    path: Type.String(),
    page: Type.Integer(),
    pageSize: Type.Integer(),
    cursor: Type.Optional(Type.String()),
    search: Search,
  }),
  response: MessagePage,
})
