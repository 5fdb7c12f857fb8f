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
const identity = { gateway: Text('Id of the gateway.') }

export const createGateway = defineOperation({
  ...admin.create,
  id: 'createGateway',
  path: '/v1/gateway',
  summary: 'Register or replace a gateway',
  description:
    'Registers a gateway: an SMTP server that sends messages instead of the outgoing servers of accounts. A submission names the gateway in `gateway`. A gateway with the same id is replaced and keeps its counters.',
  body: GatewayRegistration,
  responseDescription: 'Id of the gateway, and whether the gateway is new.',
  response: Type.Object({
    ...identity,
    state: OneOf(['existing', 'new'], {
      description:
        '`new` if the request registered the gateway, `existing` if the request replaced an existing gateway.',
    }),
  }),
})

export const getGateway = defineOperation({
  ...gateway.get,
  id: 'getGateway',
  path: '/v1/gateway/:gateway',
  summary: 'Read a gateway',
  description: 'Reads the server, the login name, the counters and the last error of a gateway.',
  responseDescription:
    'The gateway with its server, counters and last error. The password is masked.',
  response: GatewayRecord,
})

export const updateGateway = defineOperation({
  ...admin.update,
  id: 'updateGateway',
  path: '/v1/gateway/edit/:gateway',
  summary: 'Change a gateway',
  description:
    'Changes a gateway: the members that the request contains. Absent members keep their values. The change also applies to messages in the queue. A stored password is never sent to a new host: a request that changes `host` must include the password.',
  body: GatewayUpdate,
  responseDescription: 'Id of the gateway.',
  response: Type.Object(identity),
})

export const deleteGateway = defineOperation({
  ...gateway.delete,
  id: 'deleteGateway',
  path: '/v1/gateway/:gateway',
  summary: 'Delete a gateway',
  description:
    'Deletes a gateway with its password. Queued messages that name the gateway fail at their next attempt.',
  responseDescription: 'Id of the deleted gateway.',
  response: Type.Object({
    ...identity,
    deleted: Bool('Always true: a failed request gets an error response.'),
  }),
})

export const listGateways = defineOperation({
  ...gateway.list,
  id: 'listGateways',
  path: '/v1/gateways',
  summary: 'List gateways',
  description: 'Lists the gateways with their counters and last errors, sorted by gateway id.',
  query: Strict(pageQuery),
  responseDescription: 'One page of the gateways, sorted by gateway id.',
  response: Type.Object({
    ...pageCounts,
    gateways: Type.Array(GatewayListEntry, { description: 'Gateways of this page, sorted by id.' }),
  }),
})
