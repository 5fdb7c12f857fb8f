import { type CommandHandler, on } from '@posthorn/bus'
import { searchMessages } from '@posthorn/contracts'
import { countUids } from '../index/ranges.ts'
import { addCategories } from '../messages/categories.ts'
import { messageEntry } from '../messages/entry.ts'
import { pageAnswer, pageOf, placeOf, uidsOfPage } from '../messages/page.ts'
import { searchTerms } from '../messages/search-terms.ts'
import { assertConnected, type ReadDeps, sessionOf, withMailServer } from './account.ts'
import { getMailbox, openIndexed } from './mailbox.ts'

/** One page of what a search finds now, newest first. However many it finds, only the page is fetched and answered. */
export function onSearchMessages(deps: ReadDeps): CommandHandler {
  return on(searchMessages, async ({ account, path, search, ...wish }, { signal }) => {
    const session = sessionOf(deps, account)
    const { pageSize } = wish
    const page = pageOf(wish)
    const terms = searchTerms(search)
    assertConnected(session)
    const sought = { key: path, find: () => getMailbox(deps.db, account, path) }
    const answer = await deps.mailboxes.use(session, sought, (row) =>
      withMailServer(session, { signal, mailbox: row.path }, async (mail) => {
        await openIndexed(mail, row, { session })
        const found = await mail.search(terms)
        const place = placeOf(countUids(found), { page, pageSize })
        const fetched = await Array.fromAsync(mail.fetchMessages(uidsOfPage(found, place)))
        const entries = fetched.reverse().map((message) => messageEntry(message, row))
        return pageAnswer(place, await addCategories(mail, entries, await deps.settings.get()))
      }),
    )
    const messages = await deps.bounces.addTo(deps.db, { session, account }, answer.messages)
    return { ...answer, messages }
  })
}
