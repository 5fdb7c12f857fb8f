import { hostileCalendars } from './calendars.ts'
import { hostileHeads } from './headers.ts'
import { hostileHtml } from './html.ts'
import type { HostileMessage } from './hostile-message.ts'
import { hostileTrees } from './trees.ts'

/** Generated messages that are expensive to read. Names and bytes are the same in every run. */
export const hostileMessages: readonly HostileMessage[] = [
  ...hostileHtml,
  ...hostileCalendars,
  ...hostileHeads,
  ...hostileTrees,
]
