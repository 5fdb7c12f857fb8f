import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import {
  GatewayId,
  GatewayListEntry,
  GatewayRecord,
  GatewayRegistration,
  GatewayUpdate,
} from '../schemas/gateway.ts'
import { Bool, OneOf, pageCounts, pageQuery, Strict, Text } from '../schemas/primitives.ts'

const gateway = operationKinds('Gateway', 'gateway')
const admin = operationKinds('Gateway', 'admin')
const params = Strict({ gateway: GatewayId })
const identity = { gateway: Text('Gateway id.') }

export const createGateway = defineOperation({
  ...admin.write,
  id: 'createGateway',
  method: 'post',
  path: '/v1/gateway',
  summary: 'Register or replace a gateway',
  description: 'A gateway with the same id is replaced. Its counters are kept.',
  body: GatewayRegistration,
  response: Type.Object({
    ...identity,
    state: OneOf(['existing', 'new'], { description: '`existing` if a gateway was replaced.' }),
  }),
})

export const getGateway = defineOperation({
  ...gateway.read,
  id: 'getGateway',
  method: 'get',
  path: '/v1/gateway/:gateway',
  summary: 'Read a gateway',
  params,
  response: GatewayRecord,
})

export const updateGateway = defineOperation({
  ...admin.write,
  id: 'updateGateway',
  method: 'put',
  path: '/v1/gateway/edit/:gateway',
  summary: 'Change a gateway',
  description:
    'A stored password is never sent to a new host: a request that changes `host` must include the password.',
  params,
  body: GatewayUpdate,
  response: Type.Object(identity),
})

export const deleteGateway = defineOperation({
  ...gateway.destructive,
  id: 'deleteGateway',
  method: 'delete',
  path: '/v1/gateway/:gateway',
  summary: 'Delete a gateway',
  params,
  response: Type.Object({ ...identity, deleted: Bool('Always true.') }),
})

export const listGateways = defineOperation({
  ...gateway.read,
  id: 'listGateways',
  method: 'get',
  path: '/v1/gateways',
  summary: 'List gateways',
  query: Strict(pageQuery),
  response: Type.Object({
    ...pageCounts,
    gateways: Type.Array(GatewayListEntry, { description: 'Gateways of this page.' }),
  }),
})
