import { graphEnvironment } from './graph/environment.ts'
import { testMailApi } from './mail-api/suite.ts'

testMailApi('Microsoft Graph', () => graphEnvironment())
