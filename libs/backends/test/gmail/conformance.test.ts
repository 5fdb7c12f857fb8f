import { testMailApi } from '../mail-api/suite.ts'
import { gmailEnvironment } from './gmail-setup.ts'

testMailApi('Gmail API over the fake', gmailEnvironment)
