import type { TokenPermissions } from '../../data/tokens.ts'
import { cellsOfRecord, type ChosenRights, type RightsCell } from './token-grid.ts'

/** Name of a usual choice of rights for a token. */
export type TokenPreset = 'read' | 'send' | 'mail' | 'full' | 'everything'

/** Usual choices of rights for a token, from the fewest rights. */
export const tokenPresets: readonly {
  name: TokenPreset
  label: string
  /** Permissions record of the token. Null: the token has no record. */
  permissions: TokenPermissions | null
}[] = [
  { name: 'read', label: 'Read only', permissions: { actions: ['read'] } },
  {
    name: 'send',
    label: 'Send mail only',
    permissions: { actions: ['send'], groups: ['submit'] },
  },
  {
    name: 'mail',
    label: 'Read and change mail, and send',
    permissions: {
      actions: ['read', 'write', 'send'],
      groups: ['account', 'mailbox', 'message', 'submit', 'outbox'],
    },
  },
  {
    name: 'full',
    label: 'All rights except administration',
    permissions: { actions: ['read', 'write', 'send', 'destructive'] },
  },
  {
    name: 'everything',
    label: 'Everything (without an account id: owners only)',
    permissions: null,
  },
]

/** Rights of a preset, which is a usual choice of rights for a token. */
export function rightsOfPreset(preset: TokenPreset, cells: readonly RightsCell[]): ChosenRights {
  const permissions = tokenPresets.find(({ name }) => name === preset)?.permissions ?? null
  return permissions === null ? 'everything' : cellsOfRecord(permissions, cells)
}

/** Preset of rights with exactly the chosen rights. Undefined: the person has chosen the cells. */
export function presetOf(
  chosen: ChosenRights,
  cells: readonly RightsCell[],
): TokenPreset | undefined {
  return tokenPresets.find(({ name }) => isEqual(rightsOfPreset(name, cells), chosen))?.name
}

function isEqual(one: ChosenRights, other: ChosenRights): boolean {
  if (one === 'everything' || other === 'everything') return one === other
  return one.size === other.size && [...one].every((key) => other.has(key))
}
