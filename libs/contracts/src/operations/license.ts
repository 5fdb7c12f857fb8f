import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { LicenseInfo, LicenseKey } from '../schemas/license.ts'

const common = { path: '/v1/license', tag: 'License', scope: 'api' } as const

/** Posthorn is used without a key; this is for clients that ask before they begin. */
export const getLicense = defineOperation({
  ...common,
  id: 'getLicense',
  method: 'get',
  summary: 'Read the license: active, and without a key',
  permission: { action: 'read', group: 'admin' },
  response: LicenseInfo,
})

/** Always a 403: no key is taken. */
export const setLicense = defineOperation({
  ...common,
  id: 'setLicense',
  method: 'post',
  summary: 'Install a license key: refused, for none is needed',
  permission: { action: 'write', group: 'admin' },
  body: LicenseKey,
  response: LicenseInfo,
})

/** Always a 403: there is no key. */
export const deleteLicense = defineOperation({
  ...common,
  id: 'deleteLicense',
  method: 'delete',
  summary: 'Remove the license key: refused, for there is none',
  permission: { action: 'destructive', group: 'admin' },
  response: Type.Object({ active: Type.Boolean(), details: Type.Boolean(), type: Type.String() }),
})
