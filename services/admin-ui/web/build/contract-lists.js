import { listTokenOperations } from '@posthorn/contracts/admin/token-operations'
import { listPayloadMembers } from '@posthorn/contracts/openapi/payload-members'

/**
 * Lists that the build derives from the contracts, by the names of their modules. The contracts
 * themselves contain schemas and descriptions that are too large for the pages.
 */
const lists = {
  'virtual:payload-members': listPayloadMembers,
  'virtual:token-operations': listTokenOperations,
}

/** Vite plugin that provides lists of the contracts as modules with the export `list`. */
export function contractLists() {
  return {
    name: 'contract-lists',
    resolveId: (id) => (Object.hasOwn(lists, id) ? `\0${id}` : undefined),
    load(id) {
      const list = id.startsWith('\0') ? lists[id.slice(1)] : undefined
      if (!list) return undefined
      // Browsers parse JSON in a text faster than the literal of a large object.
      return `export const list = JSON.parse(${JSON.stringify(JSON.stringify(list()))})`
    },
  }
}
