import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import {
  GatewayId,
  GatewayListEntry,
  GatewayRecord,
  GatewayRegistration,
  GatewayUpdate,
} from '../schemas/gateway.ts'
import { OneOf, pageCounts, pageQuery, Strict } from '../schemas/primitives.ts'

const params = Strict({ gateway: GatewayId })

export const createGateway = defineOperation({
  id: 'createGateway',
  method: 'post',
  path: '/v1/gateway',
  tag: 'Gateway',
  summary: 'Register or replace a gateway',
  description: 'A gateway with the same id is replaced. Its counters are kept.',
  scope: 'api',
  permission: { action: 'write', group: 'admin' },
  body: GatewayRegistration,
  response: Type.Object({ gateway: Type.String(), state: OneOf(['existing', 'new']) }),
})

export const getGateway = defineOperation({
  id: 'getGateway',
  method: 'get',
  path: '/v1/gateway/:gateway',
  tag: 'Gateway',
  summary: 'Read a gateway',
  scope: 'api',
  permission: { action: 'read', group: 'gateway' },
  params,
  response: GatewayRecord,
})

export const updateGateway = defineOperation({
  id: 'updateGateway',
  method: 'put',
  path: '/v1/gateway/edit/:gateway',
  tag: 'Gateway',
  summary: 'Change a gateway',
  description:
    'A stored password is never sent to a new host: a request that changes `host` must include the password.',
  scope: 'api',
  permission: { action: 'write', group: 'admin' },
  params,
  body: GatewayUpdate,
  response: Type.Object({ gateway: Type.String() }),
})

export const deleteGateway = defineOperation({
  id: 'deleteGateway',
  method: 'delete',
  path: '/v1/gateway/:gateway',
  tag: 'Gateway',
  summary: 'Delete a gateway',
  scope: 'api',
  permission: { action: 'destructive', group: 'gateway' },
  params,
  response: Type.Object({ gateway: Type.String(), deleted: Type.Boolean() }),
})

export const listGateways = defineOperation({
  id: 'listGateways',
  method: 'get',
  path: '/v1/gateways',
  tag: 'Gateway',
  summary: 'List gateways',
  scope: 'api',
  permission: { action: 'read', group: 'gateway' },
  query: Strict(pageQuery),
  response: Type.Object({ ...pageCounts, gateways: Type.Array(GatewayListEntry) }),
})
