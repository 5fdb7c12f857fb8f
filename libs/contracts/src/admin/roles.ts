import { type RightsInput, type Rights, rightsOfInput } from './input-rights.ts'
import { operationRights } from './operation-rights.ts'
import { type AdminRole, adminRoles } from './role-names.ts'

export { type AdminRole, adminRoles }

/**
 * Minutes after a sign-in or a repeated factor during which a person may call the API operations
 * that need a step-up.
 */
export const stepUpMinutes = 10

/**
 * Rights that a person at the administration pages needs for an API request. Without an input,
 * these are the rights that all requests of the operation need; a request with a certain input may
 * need more. Undefined for an unknown operation.
 */
export function neededRights(operationId: string, input?: RightsInput): Rights | undefined {
  if (!isOperationId(operationId)) return undefined
  const rights = operationRights[operationId]
  const extra = input && rightsOfInput(operationId, input)
  return extra ? { ...rights, ...extra } : rights
}

/**
 * True if people with a role at the administration pages may call an API operation. False for
 * unknown operations.
 */
export function mayCall(role: AdminRole, operationId: string, input?: RightsInput): boolean {
  return neededRights(operationId, input)?.roles.includes(role) === true
}

/** True if an API request of a person needs the active right to read mail. */
export function readsMail(operationId: string, input?: RightsInput): boolean {
  return neededRights(operationId, input)?.mail === 'needed'
}

/**
 * True if the response to an API request of a person may contain mail. The operation then needs the
 * right to read mail, or its response is complete only with this right.
 */
export function mayShowMail(operationId: string, input?: RightsInput): boolean {
  return neededRights(operationId, input)?.mail !== undefined
}

/**
 * True if an API request of a person needs a sign-in or repeated factor in the last ten minutes.
 */
export function needsStepUp(operationId: string, input?: RightsInput): boolean {
  return neededRights(operationId, input)?.stepUp === true
}

/**
 * Role with the fewest rights at the administration pages that may call an API operation. Only
 * owners may call an unknown operation.
 */
export function requiredRoleOf(operationId: string, input?: RightsInput): AdminRole {
  const roles = neededRights(operationId, input)?.roles ?? []
  return adminRoles.findLast((role) => roles.includes(role)) ?? 'owner'
}

function isOperationId(id: string): id is keyof typeof operationRights {
  return Object.hasOwn(operationRights, id)
}
