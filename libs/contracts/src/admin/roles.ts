import { type RightsInput, type Rights, rightsOfInput } from './input-rights.ts'
import { operationRights } from './operation-rights.ts'
import { type AdminRole, adminRoles } from './role-names.ts'

export { type AdminRole, adminRoles }

/**
 * Minutes after a sign-in or a repeated factor during which a person may call the operations that
 * need a step-up.
 */
export const stepUpMinutes = 10

/**
 * Rights that a person needs for a request. Without an input, these are the rights that all
 * requests of the operation need; a request with a certain input may need more. Undefined for an
 * unknown operation.
 */
export function neededRights(operationId: string, input?: RightsInput): Rights | undefined {
  if (!isOperationId(operationId)) return undefined
  const rights = operationRights[operationId]
  const extra = input && rightsOfInput(operationId, input)
  return extra ? { ...rights, ...extra } : rights
}

/** True if people with the role may call the operation. False for unknown operations. */
export function mayCall(role: AdminRole, operationId: string, input?: RightsInput): boolean {
  return neededRights(operationId, input)?.roles.includes(role) === true
}

/** True if a request needs the active right to read mail. */
export function readsMail(operationId: string, input?: RightsInput): boolean {
  return neededRights(operationId, input)?.mail === 'needed'
}

/**
 * True if the response to a request may contain mail. The operation then needs the right to read
 * mail, or its response is complete only with this right.
 */
export function mayShowMail(operationId: string, input?: RightsInput): boolean {
  return neededRights(operationId, input)?.mail !== undefined
}

/** True if a request needs a sign-in or repeated factor in the last ten minutes. */
export function needsStepUp(operationId: string, input?: RightsInput): boolean {
  return neededRights(operationId, input)?.stepUp === true
}

/**
 * Role with the fewest rights that may call the operation. Only owners may call an unknown
 * operation.
 */
export function requiredRoleOf(operationId: string, input?: RightsInput): AdminRole {
  const roles = neededRights(operationId, input)?.roles ?? []
  return adminRoles.findLast((role) => roles.includes(role)) ?? 'owner'
}

function isOperationId(id: string): id is keyof typeof operationRights {
  return Object.hasOwn(operationRights, id)
}
