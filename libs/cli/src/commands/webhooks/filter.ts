import { defined } from '@posthorn/contracts/defined'
import type { OptionSpec, OptionValues } from '../../program/command.ts'
import { timeBefore } from '../../program/times.ts'

/** Command line options that select webhook deliveries. */
export const filterOptions: readonly OptionSpec[] = [
  {
    flags: '--target <target>',
    description: 'only this target: default, account or id of a route',
  },
  { flags: '--address <url>', description: 'only targets with this URL, without login and query' },
  { flags: '--event <name>', description: 'only events of this name, such as messageNew' },
  { flags: '--account <id>', description: 'only events of this account' },
  {
    flags: '--outcome <outcome>',
    description: 'only this outcome of the last attempt, such as http-5xx or dns',
  },
  {
    flags: '--since <time>',
    description: 'only failures since this time, or for this period, such as 2h',
    parse: (text) => timeBefore(text),
  },
  {
    flags: '--until <time>',
    description: 'only failures before this time, such as 2030-01-31T08:00:00Z',
    parse: (text) => timeBefore(text),
  },
]

/** Filter of webhook deliveries for API requests. */
export interface DeliveryFilter {
  target?: string
  address?: string
  event?: string
  account?: string
  outcome?: string
  since?: string
  until?: string
}

/** Filter of webhook deliveries from the options of a command. */
export function filterOf(options: OptionValues): DeliveryFilter {
  const { target, address, event, account, outcome, since, until } = options as DeliveryFilter
  return defined({ target, address, event, account, outcome, since, until })
}
