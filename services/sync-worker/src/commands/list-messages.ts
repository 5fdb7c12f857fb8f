import { type CommandHandler, on } from '@posthorn/bus'
import { listMessages } from '@posthorn/contracts'
import { addCategories } from '../messages/categories.ts'
import { messageEntry } from '../messages/entry.ts'
import { pageAnswer, pageOf, placeOf, placesOf } from '../messages/page.ts'
import { assertConnected, type ReadDeps, sessionOf, withMailServer } from './account.ts'
import { getMailbox, openIndexed } from './mailbox.ts'

/** One page of a mailbox as it is on the server now, newest first. */
export function onListMessages(deps: ReadDeps): CommandHandler {
  return on(listMessages, async ({ account, path, ...wish }, { signal }) => {
    const session = sessionOf(deps, account)
    const { pageSize } = wish
    const page = pageOf(wish)
    assertConnected(session)
    const sought = { key: path, find: () => getMailbox(deps.db, account, path) }
    const found = await deps.mailboxes.use(session, sought, (row) =>
      withMailServer(session, { signal, mailbox: row.path }, async (mail) => {
        const { messages } = await openIndexed(mail, row, { session })
        const place = placeOf(messages, { page, pageSize })
        const places = placesOf(place)
        const fetched = places ? await mail.fetchPlaces(...places) : []
        const entries = fetched.reverse().map((message) => messageEntry(message, row))
        return pageAnswer(place, await addCategories(mail, entries, await deps.settings.get()))
      }),
    )
    const messages = await deps.bounces.addTo(deps.db, { session, account }, found.messages)
    return { ...found, messages }
  })
}
