import { Type } from 'typebox'
import { defineOperation, operationKinds, resourceOperations } from '../define.ts'
import {
  GatewayId,
  GatewayListEntry,
  GatewayRecord,
  GatewayRegistration,
  GatewayUpdate,
} from '../schemas/gateway.ts'
import { Bool, OneOf, pageCounts, pageQuery, Strict, Text } from '../schemas/primitives.ts'

const params = Strict({ gateway: GatewayId })
const gateway = resourceOperations(operationKinds('Gateway', 'gateway'), params)
const admin = resourceOperations(operationKinds('Gateway', 'admin'), params)
const identity = { gateway: Text('Gateway id.') }

export const createGateway = defineOperation({
  ...admin.create,
  id: 'createGateway',
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
  ...gateway.get,
  id: 'getGateway',
  path: '/v1/gateway/:gateway',
  summary: 'Read a gateway',
  response: GatewayRecord,
})

export const updateGateway = defineOperation({
  ...admin.update,
  id: 'updateGateway',
  path: '/v1/gateway/edit/:gateway',
  summary: 'Change a gateway',
  description:
    'A stored password is never sent to a new host: a request that changes `host` must include the password.',
  body: GatewayUpdate,
  response: Type.Object(identity),
})

export const deleteGateway = defineOperation({
  ...gateway.delete,
  id: 'deleteGateway',
  path: '/v1/gateway/:gateway',
  summary: 'Delete a gateway',
  response: Type.Object({ ...identity, deleted: Bool('Always true.') }),
})

export const listGateways = defineOperation({
  ...gateway.list,
  id: 'listGateways',
  path: '/v1/gateways',
  summary: 'List gateways',
  query: Strict(pageQuery),
  response: Type.Object({
    ...pageCounts,
    gateways: Type.Array(GatewayListEntry, { description: 'Gateways of this page.' }),
  }),
})
