// Contracts when they were last recorded. Written by `make client-baseline`.

import * as operations from '../../generated/operations.ts'
import type { Operations } from './baseline.ts'
import type {
  CreateAccountInput,
  DeleteAccountInput,
  GetAccountInput,
  UpdateAccountInput,
  ListAccountsInput,
  CreateAuthenticationFormInput,
  GetAutoconfigInput,
  AddToBlocklistInput,
  GetBlocklistInput,
  RemoveFromBlocklistInput,
  ListBlocklistsInput,
  FollowChangesInput,
  CreateExportInput,
  DeleteExportInput,
  GetExportInput,
  DownloadExportInput,
  ListAllExportsInput,
  ListExportsInput,
  CreateGatewayInput,
  DeleteGatewayInput,
  GetGatewayInput,
  ListGatewaysInput,
  UpdateGatewayInput,
  DeleteLicenseInput,
  GetLicenseInput,
  SetLicenseInput,
  GetLogsInput,
  CreateMailboxInput,
  DeleteMailboxInput,
  UpdateMailboxInput,
  ListMailboxesInput,
  DeleteMessageInput,
  UpdateMessageInput,
  GetMessageInput,
  DeleteMessagesInput,
  MoveMessageInput,
  MoveMessagesInput,
  UpdateMessagesInput,
  ListMessagesInput,
  GetAttachmentInput,
  GetMessageSourceInput,
  GetTextInput,
  SearchMessagesInput,
  CheckOAuth2AppInput,
  CreateOAuth2AppInput,
  ListOAuth2AppsInput,
  DeleteOAuth2AppInput,
  GetOAuth2AppInput,
  UpdateOAuth2AppInput,
  GetOAuthTokenInput,
  GetPubSubStatusInput,
  DeleteOutboxEntryInput,
  GetOutboxEntryInput,
  HoldOutboxEntryInput,
  ListOutboxInput,
  ReleaseOutboxEntryInput,
  SendOutboxEntryInput,
  GetQueueInput,
  UpdateQueueInput,
  GetSettingsInput,
  UpdateSettingsInput,
  GetStatsInput,
  SubmitDraftInput,
  SubmitMessageInput,
  CreateTemplateInput,
  DeleteTemplateInput,
  GetTemplateInput,
  UpdateTemplateInput,
  FlushTemplatesInput,
  ListTemplatesInput,
  CreateTokenInput,
  ListTokensInput,
  CreateTokenAliasInput,
  DeleteTokenInput,
  GetTokenInput,
  DeleteTokenAliasInput,
  GetTokenLogInput,
  UploadMessageInput,
  FlushAccountInput,
  GetServerSignaturesInput,
  ReconnectAccountInput,
  SyncAccountInput,
  VerifyAccountInput,
  CreateWebhookReplayInput,
  ListWebhookReplaysInput,
  GetWebhookDeliveryInput,
  GetWebhookReplayInput,
  ListWebhookDeliveriesInput,
  RetryWebhookDeliveryInput,
  CreateWebhookRouteInput,
  DeleteWebhookRouteInput,
  UpdateWebhookRouteInput,
  GetWebhookRouteInput,
  ListWebhookRouteErrorsInput,
  ListWebhookRoutesInput,
  TestWebhookRouteInput,
} from '../../generated/inputs.ts'

export const createAccountFirst: CreateAccountInput = {
  "body": {
    "account": "text",
    "name": "text",
    "email": "text",
    "expectedEmail": "text",
    "path": [
      "text"
    ],
    "subconnections": [
      "text"
    ],
    "webhooks": "text",
    "webhooksCustomHeaders": [
      {
        "key": "text",
        "value": "text"
      }
    ],
    "copy": true,
    "logs": true,
    "paused": true,
    "notifyFrom": "text",
    "proxy": "text",
    "smtpEhloName": "text",
    "imapIndexer": "full",
    "imap": {
      "useAuthServer": true,
      "auth": {
        "user": "text",
        "pass": "text",
        "accessToken": "text"
      },
      "host": "text",
      "port": 1,
      "secure": true,
      "tls": {
        "rejectUnauthorized": true,
        "minVersion": "TLSv1",
        "requireStartTls": true
      },
      "disableIMAP4rev2": true,
      "resyncDelay": 1,
      "sentMailPath": "text",
      "draftsMailPath": "text",
      "junkMailPath": "text",
      "trashMailPath": "text",
      "archiveMailPath": "text",
      "disabled": true
    },
    "smtp": {
      "useAuthServer": true,
      "auth": {
        "user": "text",
        "pass": "text",
        "accessToken": "text"
      },
      "host": "text",
      "port": 1,
      "secure": true,
      "tls": {
        "rejectUnauthorized": true,
        "minVersion": "TLSv1",
        "requireStartTls": true
      }
    },
    "oauth2": {
      "provider": "text",
      "auth": {
        "user": "text",
        "delegatedUser": "text",
        "delegatedAccount": "text"
      },
      "useAuthServer": true,
      "accessToken": "text",
      "refreshToken": "text",
      "expires": "text",
      "authorize": true,
      "redirectUrl": "text"
    },
    "locale": "text",
    "tz": "text"
  }
}

export const createAccountLast: CreateAccountInput = {
  "body": {
    "account": null,
    "name": "text",
    "email": "text",
    "expectedEmail": "text",
    "path": null,
    "subconnections": [
      "text"
    ],
    "webhooks": "text",
    "webhooksCustomHeaders": [
      {
        "key": "text",
        "value": "text"
      }
    ],
    "copy": null,
    "logs": true,
    "paused": true,
    "notifyFrom": null,
    "proxy": "text",
    "smtpEhloName": null,
    "imapIndexer": null,
    "imap": false,
    "smtp": false,
    "oauth2": false,
    "locale": "text",
    "tz": "text"
  }
}

export const deleteAccountFirst: DeleteAccountInput = {
  "account": "text",
  "revoke": true
}

export const deleteAccountLast: DeleteAccountInput = {
  "account": "text",
  "revoke": true
}

export const getAccountFirst: GetAccountInput = {
  "account": "text",
  "quota": true,
  "timeout": 1
}

export const getAccountLast: GetAccountInput = {
  "account": "text",
  "quota": true,
  "timeout": 1
}

export const updateAccountFirst: UpdateAccountInput = {
  "account": "text",
  "body": {
    "email": "text",
    "expectedEmail": "text",
    "path": [
      "text"
    ],
    "subconnections": [
      "text"
    ],
    "webhooks": "text",
    "webhooksCustomHeaders": [
      {
        "key": "text",
        "value": "text"
      }
    ],
    "copy": true,
    "logs": true,
    "paused": true,
    "notifyFrom": "text",
    "proxy": "text",
    "smtpEhloName": "text",
    "imap": {
      "useAuthServer": true,
      "auth": {
        "user": "text",
        "pass": "text",
        "accessToken": "text"
      },
      "host": "text",
      "port": 1,
      "secure": true,
      "tls": {
        "rejectUnauthorized": true,
        "minVersion": "TLSv1",
        "requireStartTls": true
      },
      "partial": true,
      "disableIMAP4rev2": true,
      "resyncDelay": 1,
      "sentMailPath": "text",
      "draftsMailPath": "text",
      "junkMailPath": "text",
      "trashMailPath": "text",
      "archiveMailPath": "text",
      "disabled": true
    },
    "smtp": {
      "useAuthServer": true,
      "auth": {
        "user": "text",
        "pass": "text",
        "accessToken": "text"
      },
      "host": "text",
      "port": 1,
      "secure": true,
      "tls": {
        "rejectUnauthorized": true,
        "minVersion": "TLSv1",
        "requireStartTls": true
      },
      "partial": true
    },
    "oauth2": {
      "provider": "text",
      "auth": {
        "user": "text",
        "delegatedUser": "text",
        "delegatedAccount": "text"
      },
      "useAuthServer": true,
      "accessToken": "text",
      "refreshToken": "text",
      "expires": "text",
      "authorize": true,
      "redirectUrl": "text",
      "partial": true
    },
    "locale": "text",
    "tz": "text",
    "name": "text"
  }
}

export const updateAccountLast: UpdateAccountInput = {
  "account": "text",
  "body": {
    "email": "text",
    "expectedEmail": null,
    "path": null,
    "subconnections": [
      "text"
    ],
    "webhooks": "text",
    "webhooksCustomHeaders": [
      {
        "key": "text",
        "value": "text"
      }
    ],
    "copy": null,
    "logs": true,
    "paused": true,
    "notifyFrom": null,
    "proxy": "text",
    "smtpEhloName": null,
    "imap": false,
    "smtp": false,
    "oauth2": false,
    "locale": "text",
    "tz": "text",
    "name": "text"
  }
}

export const listAccountsFirst: ListAccountsInput = {
  "page": 1,
  "pageSize": 1,
  "state": "new",
  "query": "text"
}

export const listAccountsLast: ListAccountsInput = {
  "page": 1,
  "pageSize": 1,
  "state": "paused",
  "query": "text"
}

export const createAuthenticationFormFirst: CreateAuthenticationFormInput = {
  "body": {
    "account": "text",
    "name": "text",
    "email": "text",
    "expectedEmail": "text",
    "delegated": true,
    "notifyFrom": "text",
    "subconnections": [
      "text"
    ],
    "path": [
      "text"
    ],
    "redirectUrl": "text",
    "type": "text"
  }
}

export const createAuthenticationFormLast: CreateAuthenticationFormInput = {
  "body": {
    "account": null,
    "name": "text",
    "email": "text",
    "expectedEmail": "text",
    "delegated": true,
    "notifyFrom": null,
    "subconnections": [
      "text"
    ],
    "path": null,
    "redirectUrl": "text",
    "type": false
  }
}

export const getAutoconfigFirst: GetAutoconfigInput = {
  "email": "text"
}

export const getAutoconfigLast: GetAutoconfigInput = {
  "email": "text"
}

export const addToBlocklistFirst: AddToBlocklistInput = {
  "listId": "text",
  "body": {
    "account": "text",
    "recipient": "text",
    "reason": "text"
  }
}

export const addToBlocklistLast: AddToBlocklistInput = {
  "listId": "text",
  "body": {
    "account": "text",
    "recipient": "text",
    "reason": "text"
  }
}

export const getBlocklistFirst: GetBlocklistInput = {
  "listId": "text",
  "page": 1,
  "pageSize": 1
}

export const getBlocklistLast: GetBlocklistInput = {
  "listId": "text",
  "page": 1,
  "pageSize": 1
}

export const removeFromBlocklistFirst: RemoveFromBlocklistInput = {
  "listId": "text",
  "recipient": "text"
}

export const removeFromBlocklistLast: RemoveFromBlocklistInput = {
  "listId": "text",
  "recipient": "text"
}

export const listBlocklistsFirst: ListBlocklistsInput = {
  "page": 1,
  "pageSize": 1
}

export const listBlocklistsLast: ListBlocklistsInput = {
  "page": 1,
  "pageSize": 1
}

export const followChangesFirst: FollowChangesInput = {
  "lastEventId": "text"
}

export const followChangesLast: FollowChangesInput = {
  "lastEventId": "text"
}

export const createExportFirst: CreateExportInput = {
  "account": "text",
  "body": {
    "folders": [
      "text"
    ],
    "startDate": "text",
    "endDate": "text",
    "textType": "plain",
    "maxBytes": 1,
    "includeAttachments": true
  }
}

export const createExportLast: CreateExportInput = {
  "account": "text",
  "body": {
    "folders": [
      "text"
    ],
    "startDate": "text",
    "endDate": "text",
    "textType": "*",
    "maxBytes": 1,
    "includeAttachments": true
  }
}

export const deleteExportFirst: DeleteExportInput = {
  "account": "text",
  "exportId": "text"
}

export const deleteExportLast: DeleteExportInput = {
  "account": "text",
  "exportId": "text"
}

export const getExportFirst: GetExportInput = {
  "account": "text",
  "exportId": "text"
}

export const getExportLast: GetExportInput = {
  "account": "text",
  "exportId": "text"
}

export const downloadExportFirst: DownloadExportInput = {
  "account": "text",
  "exportId": "text",
  "range": "text",
  "ifRange": "text"
}

export const downloadExportLast: DownloadExportInput = {
  "account": "text",
  "exportId": "text",
  "range": "text",
  "ifRange": "text"
}

export const listAllExportsFirst: ListAllExportsInput = {
  "page": 1,
  "pageSize": 1,
  "account": "text",
  "status": "queued"
}

export const listAllExportsLast: ListAllExportsInput = {
  "page": 1,
  "pageSize": 1,
  "account": "text",
  "status": "cancelled"
}

export const listExportsFirst: ListExportsInput = {
  "account": "text",
  "page": 1,
  "pageSize": 1
}

export const listExportsLast: ListExportsInput = {
  "account": "text",
  "page": 1,
  "pageSize": 1
}

export const createGatewayFirst: CreateGatewayInput = {
  "body": {
    "gateway": "text",
    "name": "text",
    "user": "text",
    "pass": "text",
    "host": "text",
    "port": 1,
    "secure": true
  }
}

export const createGatewayLast: CreateGatewayInput = {
  "body": {
    "gateway": null,
    "name": "text",
    "user": null,
    "pass": null,
    "host": "text",
    "port": 1,
    "secure": true
  }
}

export const deleteGatewayFirst: DeleteGatewayInput = {
  "gateway": "text"
}

export const deleteGatewayLast: DeleteGatewayInput = {
  "gateway": "text"
}

export const getGatewayFirst: GetGatewayInput = {
  "gateway": "text"
}

export const getGatewayLast: GetGatewayInput = {
  "gateway": "text"
}

export const listGatewaysFirst: ListGatewaysInput = {
  "page": 1,
  "pageSize": 1
}

export const listGatewaysLast: ListGatewaysInput = {
  "page": 1,
  "pageSize": 1
}

export const updateGatewayFirst: UpdateGatewayInput = {
  "gateway": "text",
  "body": {
    "name": "text",
    "user": "text",
    "pass": "text",
    "host": "text",
    "port": 1,
    "secure": true
  }
}

export const updateGatewayLast: UpdateGatewayInput = {
  "gateway": "text",
  "body": {
    "name": "text",
    "user": null,
    "pass": null,
    "host": "text",
    "port": 1,
    "secure": true
  }
}

export const deleteLicenseFirst: DeleteLicenseInput = {}

export const deleteLicenseLast: DeleteLicenseInput = {}

export const getLicenseFirst: GetLicenseInput = {}

export const getLicenseLast: GetLicenseInput = {}

export const setLicenseFirst: SetLicenseInput = {
  "body": {
    "license": "text"
  }
}

export const setLicenseLast: SetLicenseInput = {
  "body": {
    "license": "text"
  }
}

export const getLogsFirst: GetLogsInput = {
  "account": "text"
}

export const getLogsLast: GetLogsInput = {
  "account": "text"
}

export const createMailboxFirst: CreateMailboxInput = {
  "account": "text",
  "timeout": 1,
  "body": {
    "path": "text"
  }
}

export const createMailboxLast: CreateMailboxInput = {
  "account": "text",
  "timeout": 1,
  "body": {
    "path": [
      "text"
    ]
  }
}

export const deleteMailboxFirst: DeleteMailboxInput = {
  "account": "text",
  "path": "text",
  "timeout": 1
}

export const deleteMailboxLast: DeleteMailboxInput = {
  "account": "text",
  "path": "text",
  "timeout": 1
}

export const updateMailboxFirst: UpdateMailboxInput = {
  "account": "text",
  "timeout": 1,
  "body": {
    "path": "text",
    "newPath": "text",
    "subscribed": true
  }
}

export const updateMailboxLast: UpdateMailboxInput = {
  "account": "text",
  "timeout": 1,
  "body": {
    "path": "text",
    "newPath": [
      "text"
    ],
    "subscribed": true
  }
}

export const listMailboxesFirst: ListMailboxesInput = {
  "account": "text",
  "counters": true,
  "timeout": 1
}

export const listMailboxesLast: ListMailboxesInput = {
  "account": "text",
  "counters": true,
  "timeout": 1
}

export const deleteMessageFirst: DeleteMessageInput = {
  "account": "text",
  "message": "text",
  "force": true,
  "timeout": 1
}

export const deleteMessageLast: DeleteMessageInput = {
  "account": "text",
  "message": "text",
  "force": true,
  "timeout": 1
}

export const updateMessageFirst: UpdateMessageInput = {
  "account": "text",
  "message": "text",
  "timeout": 1,
  "body": {
    "flags": {
      "add": [
        "text"
      ],
      "delete": [
        "text"
      ],
      "set": [
        "text"
      ]
    },
    "labels": {
      "add": [
        "text"
      ],
      "delete": [
        "text"
      ]
    }
  }
}

export const updateMessageLast: UpdateMessageInput = {
  "account": "text",
  "message": "text",
  "timeout": 1,
  "body": {
    "flags": {
      "add": [
        "text"
      ],
      "delete": [
        "text"
      ],
      "set": [
        "text"
      ]
    },
    "labels": {
      "add": [
        "text"
      ],
      "delete": [
        "text"
      ]
    }
  }
}

export const getMessageFirst: GetMessageInput = {
  "account": "text",
  "message": "text",
  "maxBytes": 1,
  "textType": "html",
  "webSafeHtml": true,
  "embedAttachedImages": true,
  "preProcessHtml": true,
  "markAsSeen": true,
  "timeout": 1
}

export const getMessageLast: GetMessageInput = {
  "account": "text",
  "message": "text",
  "maxBytes": 1,
  "textType": "*",
  "webSafeHtml": true,
  "embedAttachedImages": true,
  "preProcessHtml": true,
  "markAsSeen": true,
  "timeout": 1
}

export const deleteMessagesFirst: DeleteMessagesInput = {
  "account": "text",
  "path": "text",
  "force": true,
  "timeout": 1,
  "body": {
    "search": {
      "seq": "text",
      "uid": "text",
      "answered": true,
      "deleted": true,
      "draft": true,
      "unseen": true,
      "seen": true,
      "flagged": true,
      "from": "text",
      "to": "text",
      "cc": "text",
      "bcc": "text",
      "body": "text",
      "subject": "text",
      "larger": 1,
      "smaller": 1,
      "modseq": 1,
      "before": "text",
      "since": "text",
      "sentBefore": "text",
      "sentSince": "text",
      "emailId": "text",
      "threadId": "text",
      "header": {
        "name": "text"
      },
      "gmailRaw": "text",
      "labels": {
        "has": [
          "text"
        ],
        "not": [
          "text"
        ]
      },
      "emailIds": [
        "text"
      ]
    }
  }
}

export const deleteMessagesLast: DeleteMessagesInput = {
  "account": "text",
  "path": "text",
  "force": true,
  "timeout": 1,
  "body": {
    "search": {
      "seq": "text",
      "uid": "text",
      "answered": true,
      "deleted": true,
      "draft": true,
      "unseen": true,
      "seen": true,
      "flagged": true,
      "from": "text",
      "to": "text",
      "cc": "text",
      "bcc": "text",
      "body": "text",
      "subject": "text",
      "larger": 1,
      "smaller": 1,
      "modseq": 1,
      "before": "text",
      "since": "text",
      "sentBefore": "text",
      "sentSince": "text",
      "emailId": "text",
      "threadId": "text",
      "header": {
        "name": true
      },
      "gmailRaw": "text",
      "labels": {
        "has": [
          "text"
        ],
        "not": [
          "text"
        ]
      },
      "emailIds": [
        "text"
      ]
    }
  }
}

export const moveMessageFirst: MoveMessageInput = {
  "account": "text",
  "message": "text",
  "timeout": 1,
  "body": {
    "path": "text",
    "source": "text"
  }
}

export const moveMessageLast: MoveMessageInput = {
  "account": "text",
  "message": "text",
  "timeout": 1,
  "body": {
    "path": "text",
    "source": "text"
  }
}

export const moveMessagesFirst: MoveMessagesInput = {
  "account": "text",
  "path": "text",
  "timeout": 1,
  "body": {
    "search": {
      "seq": "text",
      "uid": "text",
      "answered": true,
      "deleted": true,
      "draft": true,
      "unseen": true,
      "seen": true,
      "flagged": true,
      "from": "text",
      "to": "text",
      "cc": "text",
      "bcc": "text",
      "body": "text",
      "subject": "text",
      "larger": 1,
      "smaller": 1,
      "modseq": 1,
      "before": "text",
      "since": "text",
      "sentBefore": "text",
      "sentSince": "text",
      "emailId": "text",
      "threadId": "text",
      "header": {
        "name": "text"
      },
      "gmailRaw": "text",
      "labels": {
        "has": [
          "text"
        ],
        "not": [
          "text"
        ]
      },
      "emailIds": [
        "text"
      ]
    },
    "path": "text"
  }
}

export const moveMessagesLast: MoveMessagesInput = {
  "account": "text",
  "path": "text",
  "timeout": 1,
  "body": {
    "search": {
      "seq": "text",
      "uid": "text",
      "answered": true,
      "deleted": true,
      "draft": true,
      "unseen": true,
      "seen": true,
      "flagged": true,
      "from": "text",
      "to": "text",
      "cc": "text",
      "bcc": "text",
      "body": "text",
      "subject": "text",
      "larger": 1,
      "smaller": 1,
      "modseq": 1,
      "before": "text",
      "since": "text",
      "sentBefore": "text",
      "sentSince": "text",
      "emailId": "text",
      "threadId": "text",
      "header": {
        "name": true
      },
      "gmailRaw": "text",
      "labels": {
        "has": [
          "text"
        ],
        "not": [
          "text"
        ]
      },
      "emailIds": [
        "text"
      ]
    },
    "path": "text"
  }
}

export const updateMessagesFirst: UpdateMessagesInput = {
  "account": "text",
  "path": "text",
  "timeout": 1,
  "body": {
    "search": {
      "seq": "text",
      "uid": "text",
      "answered": true,
      "deleted": true,
      "draft": true,
      "unseen": true,
      "seen": true,
      "flagged": true,
      "from": "text",
      "to": "text",
      "cc": "text",
      "bcc": "text",
      "body": "text",
      "subject": "text",
      "larger": 1,
      "smaller": 1,
      "modseq": 1,
      "before": "text",
      "since": "text",
      "sentBefore": "text",
      "sentSince": "text",
      "emailId": "text",
      "threadId": "text",
      "header": {
        "name": "text"
      },
      "gmailRaw": "text",
      "labels": {
        "has": [
          "text"
        ],
        "not": [
          "text"
        ]
      },
      "emailIds": [
        "text"
      ]
    },
    "update": {
      "flags": {
        "add": [
          "text"
        ],
        "delete": [
          "text"
        ],
        "set": [
          "text"
        ]
      },
      "labels": {
        "add": [
          "text"
        ],
        "delete": [
          "text"
        ]
      }
    }
  }
}

export const updateMessagesLast: UpdateMessagesInput = {
  "account": "text",
  "path": "text",
  "timeout": 1,
  "body": {
    "search": {
      "seq": "text",
      "uid": "text",
      "answered": true,
      "deleted": true,
      "draft": true,
      "unseen": true,
      "seen": true,
      "flagged": true,
      "from": "text",
      "to": "text",
      "cc": "text",
      "bcc": "text",
      "body": "text",
      "subject": "text",
      "larger": 1,
      "smaller": 1,
      "modseq": 1,
      "before": "text",
      "since": "text",
      "sentBefore": "text",
      "sentSince": "text",
      "emailId": "text",
      "threadId": "text",
      "header": {
        "name": true
      },
      "gmailRaw": "text",
      "labels": {
        "has": [
          "text"
        ],
        "not": [
          "text"
        ]
      },
      "emailIds": [
        "text"
      ]
    },
    "update": {
      "flags": {
        "add": [
          "text"
        ],
        "delete": [
          "text"
        ],
        "set": [
          "text"
        ]
      },
      "labels": {
        "add": [
          "text"
        ],
        "delete": [
          "text"
        ]
      }
    }
  }
}

export const listMessagesFirst: ListMessagesInput = {
  "account": "text",
  "path": "text",
  "cursor": "text",
  "page": 1,
  "pageSize": 1,
  "timeout": 1
}

export const listMessagesLast: ListMessagesInput = {
  "account": "text",
  "path": "text",
  "cursor": "text",
  "page": 1,
  "pageSize": 1,
  "timeout": 1
}

export const getAttachmentFirst: GetAttachmentInput = {
  "account": "text",
  "attachment": "text",
  "timeout": 1
}

export const getAttachmentLast: GetAttachmentInput = {
  "account": "text",
  "attachment": "text",
  "timeout": 1
}

export const getMessageSourceFirst: GetMessageSourceInput = {
  "account": "text",
  "message": "text",
  "timeout": 1
}

export const getMessageSourceLast: GetMessageSourceInput = {
  "account": "text",
  "message": "text",
  "timeout": 1
}

export const getTextFirst: GetTextInput = {
  "account": "text",
  "text": "text",
  "maxBytes": 1,
  "textType": "html",
  "webSafeHtml": true,
  "documentStore": true,
  "timeout": 1
}

export const getTextLast: GetTextInput = {
  "account": "text",
  "text": "text",
  "maxBytes": 1,
  "textType": "*",
  "webSafeHtml": true,
  "documentStore": true,
  "timeout": 1
}

export const searchMessagesFirst: SearchMessagesInput = {
  "account": "text",
  "path": "text",
  "cursor": "text",
  "page": 1,
  "pageSize": 1,
  "useOutlookSearch": true,
  "documentStore": true,
  "timeout": 1,
  "body": {
    "search": {
      "seq": "text",
      "uid": "text",
      "answered": true,
      "deleted": true,
      "draft": true,
      "unseen": true,
      "seen": true,
      "flagged": true,
      "from": "text",
      "to": "text",
      "cc": "text",
      "bcc": "text",
      "body": "text",
      "subject": "text",
      "larger": 1,
      "smaller": 1,
      "modseq": 1,
      "before": "text",
      "since": "text",
      "sentBefore": "text",
      "sentSince": "text",
      "emailId": "text",
      "threadId": "text",
      "header": {
        "name": "text"
      },
      "gmailRaw": "text",
      "labels": {
        "has": [
          "text"
        ],
        "not": [
          "text"
        ]
      },
      "emailIds": [
        "text"
      ]
    }
  }
}

export const searchMessagesLast: SearchMessagesInput = {
  "account": "text",
  "path": "text",
  "cursor": "text",
  "page": 1,
  "pageSize": 1,
  "useOutlookSearch": true,
  "documentStore": true,
  "timeout": 1,
  "body": {
    "search": {
      "seq": "text",
      "uid": "text",
      "answered": true,
      "deleted": true,
      "draft": true,
      "unseen": true,
      "seen": true,
      "flagged": true,
      "from": "text",
      "to": "text",
      "cc": "text",
      "bcc": "text",
      "body": "text",
      "subject": "text",
      "larger": 1,
      "smaller": 1,
      "modseq": 1,
      "before": "text",
      "since": "text",
      "sentBefore": "text",
      "sentSince": "text",
      "emailId": "text",
      "threadId": "text",
      "header": {
        "name": true
      },
      "gmailRaw": "text",
      "labels": {
        "has": [
          "text"
        ],
        "not": [
          "text"
        ]
      },
      "emailIds": [
        "text"
      ]
    }
  }
}

export const checkOAuth2AppFirst: CheckOAuth2AppInput = {
  "app": "text",
  "timeout": 1,
  "body": {
    "account": "text",
    "testConnection": true
  }
}

export const checkOAuth2AppLast: CheckOAuth2AppInput = {
  "app": "text",
  "timeout": 1,
  "body": {
    "account": "text",
    "testConnection": true
  }
}

export const createOAuth2AppFirst: CreateOAuth2AppInput = {
  "body": {
    "name": "text",
    "provider": "gmail",
    "enabled": true,
    "description": "text",
    "title": "text",
    "includeInListing": true,
    "clientId": "text",
    "redirectUrl": "text",
    "extraScopes": [
      "text"
    ],
    "skipScopes": [
      "text"
    ],
    "authority": "text",
    "cloud": "global",
    "serviceClient": "text",
    "serviceClientEmail": "text",
    "googleProjectId": "text",
    "googleWorkspaceAccounts": true,
    "googleTopicName": "text",
    "googleSubscriptionName": "text",
    "pubSubApp": "text",
    "issuer": "text",
    "authorizeUrl": "text",
    "tokenUrl": "text",
    "userinfoUrl": "text",
    "revokeUrl": "text",
    "scopes": [
      "text"
    ],
    "imap": {
      "host": "text",
      "port": 1,
      "secure": true
    },
    "smtp": {
      "host": "text",
      "port": 1,
      "secure": true
    },
    "clientSecret": "text",
    "serviceKey": "text",
    "externalAccount": "text",
    "baseScopes": "imap",
    "authMethod": "serviceKey"
  }
}

export const createOAuth2AppLast: CreateOAuth2AppInput = {
  "body": {
    "name": "text",
    "provider": "generic",
    "enabled": true,
    "description": "text",
    "title": "text",
    "includeInListing": true,
    "clientId": "text",
    "redirectUrl": "text",
    "extraScopes": [
      "text"
    ],
    "skipScopes": [
      "text"
    ],
    "authority": "text",
    "cloud": "china",
    "serviceClient": "text",
    "serviceClientEmail": "text",
    "googleProjectId": null,
    "googleWorkspaceAccounts": true,
    "googleTopicName": null,
    "googleSubscriptionName": null,
    "pubSubApp": null,
    "issuer": "text",
    "authorizeUrl": "text",
    "tokenUrl": "text",
    "userinfoUrl": "text",
    "revokeUrl": "text",
    "scopes": [
      "text"
    ],
    "imap": {
      "host": "text",
      "port": 1,
      "secure": true
    },
    "smtp": {
      "host": "text",
      "port": 1,
      "secure": true
    },
    "clientSecret": "text",
    "serviceKey": "text",
    "externalAccount": "text",
    "baseScopes": "pubsub",
    "authMethod": "externalAccount"
  }
}

export const listOAuth2AppsFirst: ListOAuth2AppsInput = {
  "page": 1,
  "pageSize": 1
}

export const listOAuth2AppsLast: ListOAuth2AppsInput = {
  "page": 1,
  "pageSize": 1
}

export const deleteOAuth2AppFirst: DeleteOAuth2AppInput = {
  "app": "text"
}

export const deleteOAuth2AppLast: DeleteOAuth2AppInput = {
  "app": "text"
}

export const getOAuth2AppFirst: GetOAuth2AppInput = {
  "app": "text"
}

export const getOAuth2AppLast: GetOAuth2AppInput = {
  "app": "text"
}

export const updateOAuth2AppFirst: UpdateOAuth2AppInput = {
  "app": "text",
  "body": {
    "name": "text",
    "enabled": true,
    "description": "text",
    "title": "text",
    "includeInListing": true,
    "clientId": "text",
    "redirectUrl": "text",
    "extraScopes": [
      "text"
    ],
    "skipScopes": [
      "text"
    ],
    "authority": "text",
    "cloud": "global",
    "serviceClient": "text",
    "serviceClientEmail": "text",
    "googleProjectId": "text",
    "googleWorkspaceAccounts": true,
    "googleTopicName": "text",
    "googleSubscriptionName": "text",
    "pubSubApp": "text",
    "issuer": "text",
    "authorizeUrl": "text",
    "tokenUrl": "text",
    "userinfoUrl": "text",
    "revokeUrl": "text",
    "scopes": [
      "text"
    ],
    "imap": {
      "host": "text",
      "port": 1,
      "secure": true
    },
    "smtp": {
      "host": "text",
      "port": 1,
      "secure": true
    },
    "clientSecret": "text",
    "serviceKey": "text",
    "externalAccount": "text",
    "tenant": "text"
  }
}

export const updateOAuth2AppLast: UpdateOAuth2AppInput = {
  "app": "text",
  "body": {
    "name": "text",
    "enabled": true,
    "description": "text",
    "title": "text",
    "includeInListing": true,
    "clientId": null,
    "redirectUrl": null,
    "extraScopes": [
      "text"
    ],
    "skipScopes": [
      "text"
    ],
    "authority": "text",
    "cloud": "china",
    "serviceClient": null,
    "serviceClientEmail": "text",
    "googleProjectId": null,
    "googleWorkspaceAccounts": true,
    "googleTopicName": null,
    "googleSubscriptionName": null,
    "pubSubApp": null,
    "issuer": "text",
    "authorizeUrl": "text",
    "tokenUrl": "text",
    "userinfoUrl": "text",
    "revokeUrl": "text",
    "scopes": [
      "text"
    ],
    "imap": {
      "host": "text",
      "port": 1,
      "secure": true
    },
    "smtp": {
      "host": "text",
      "port": 1,
      "secure": true
    },
    "clientSecret": "text",
    "serviceKey": "text",
    "externalAccount": "text",
    "tenant": "text"
  }
}

export const getOAuthTokenFirst: GetOAuthTokenInput = {
  "account": "text",
  "timeout": 1
}

export const getOAuthTokenLast: GetOAuthTokenInput = {
  "account": "text",
  "timeout": 1
}

export const getPubSubStatusFirst: GetPubSubStatusInput = {
  "page": 1,
  "pageSize": 1
}

export const getPubSubStatusLast: GetPubSubStatusInput = {
  "page": 1,
  "pageSize": 1
}

export const deleteOutboxEntryFirst: DeleteOutboxEntryInput = {
  "queueId": "text",
  "timeout": 1
}

export const deleteOutboxEntryLast: DeleteOutboxEntryInput = {
  "queueId": "text",
  "timeout": 1
}

export const getOutboxEntryFirst: GetOutboxEntryInput = {
  "queueId": "text"
}

export const getOutboxEntryLast: GetOutboxEntryInput = {
  "queueId": "text"
}

export const holdOutboxEntryFirst: HoldOutboxEntryInput = {
  "queueId": "text",
  "timeout": 1
}

export const holdOutboxEntryLast: HoldOutboxEntryInput = {
  "queueId": "text",
  "timeout": 1
}

export const listOutboxFirst: ListOutboxInput = {
  "page": 1,
  "pageSize": 1,
  "account": "text",
  "state": "queued"
}

export const listOutboxLast: ListOutboxInput = {
  "page": 1,
  "pageSize": 1,
  "account": "text",
  "state": "bounced"
}

export const releaseOutboxEntryFirst: ReleaseOutboxEntryInput = {
  "queueId": "text",
  "timeout": 1
}

export const releaseOutboxEntryLast: ReleaseOutboxEntryInput = {
  "queueId": "text",
  "timeout": 1
}

export const sendOutboxEntryFirst: SendOutboxEntryInput = {
  "queueId": "text",
  "timeout": 1
}

export const sendOutboxEntryLast: SendOutboxEntryInput = {
  "queueId": "text",
  "timeout": 1
}

export const getQueueFirst: GetQueueInput = {
  "queue": "notify"
}

export const getQueueLast: GetQueueInput = {
  "queue": "submit"
}

export const updateQueueFirst: UpdateQueueInput = {
  "queue": "notify",
  "body": {
    "paused": true
  }
}

export const updateQueueLast: UpdateQueueInput = {
  "queue": "submit",
  "body": {
    "paused": true
  }
}

export const getSettingsFirst: GetSettingsInput = {
  "webhooks": true,
  "webhooksEnabled": true,
  "webhookEvents": true,
  "webhooksCustomHeaders": true,
  "notifyHeaders": true,
  "notifyText": true,
  "notifyTextSize": true,
  "notifyWebSafeHtml": true,
  "notifyAttachments": true,
  "notifyAttachmentList": true,
  "notifyAttachmentSize": true,
  "notifyCalendarEvents": true,
  "inboxNewOnly": true,
  "serviceUrl": true,
  "notificationBaseUrl": true,
  "gmailSubscriptionTtl": true,
  "serviceSecret": true,
  "serviceSecretOverlap": true,
  "webhookSecrets": true,
  "webhooksRetrySchedule": true,
  "webhooksConcurrency": true,
  "webhooksRate": true,
  "webhooksAttemptLog": true,
  "webhooksAttemptLogDays": true,
  "webhooksKeepFailedDays": true,
  "webhookTargets": true,
  "authServer": true,
  "authServerProtocol": true,
  "ignoreMailCertErrors": true,
  "smtpEhloName": true,
  "proxyEnabled": true,
  "proxyUrl": true,
  "httpProxyEnabled": true,
  "httpProxyUrl": true,
  "localAddresses": true,
  "smtpStrategy": true,
  "imapStrategy": true,
  "enableApiProxy": true,
  "tokenAuditLog": true,
  "enableOAuthTokensApi": true,
  "deliveryAttempts": true,
  "trackOpens": true,
  "trackClicks": true,
  "trackRepeatWindow": true,
  "templateHeader": true,
  "templateHtmlHead": true,
  "locale": true,
  "timezone": true,
  "pageBrandName": true,
  "generateEmailSummary": true,
  "openAiAPIKey": true,
  "openAiAPIUrl": true,
  "openAiModel": true,
  "openAiPrompt": true,
  "openAiTemperature": true,
  "openAiTopP": true,
  "openAiMaxTokens": true,
  "scriptEnv": true,
  "exportMaxConcurrent": true,
  "exportMaxGlobalConcurrent": true,
  "exportMaxMessages": true,
  "exportMaxSize": true,
  "gmailExportBatchSize": true,
  "outlookExportBatchSize": true,
  "resolveGmailCategories": true,
  "imapIndexer": true,
  "imapClientName": true,
  "imapClientVersion": true,
  "imapClientVendor": true,
  "imapClientSupportUrl": true,
  "logs": true,
  "imapProxyServerEnabled": true,
  "imapProxyServerPort": true,
  "imapProxyServerHost": true,
  "imapProxyServerTLSEnabled": true,
  "imapProxyServerProxy": true,
  "imapProxyServerPassword": true,
  "smtpServerEnabled": true,
  "smtpServerPort": true,
  "smtpServerHost": true,
  "smtpServerTLSEnabled": true,
  "smtpServerProxy": true,
  "smtpServerAuthEnabled": true,
  "smtpServerPassword": true,
  "eventTypes": true
}

export const getSettingsLast: GetSettingsInput = {
  "webhooks": true,
  "webhooksEnabled": true,
  "webhookEvents": true,
  "webhooksCustomHeaders": true,
  "notifyHeaders": true,
  "notifyText": true,
  "notifyTextSize": true,
  "notifyWebSafeHtml": true,
  "notifyAttachments": true,
  "notifyAttachmentList": true,
  "notifyAttachmentSize": true,
  "notifyCalendarEvents": true,
  "inboxNewOnly": true,
  "serviceUrl": true,
  "notificationBaseUrl": true,
  "gmailSubscriptionTtl": true,
  "serviceSecret": true,
  "serviceSecretOverlap": true,
  "webhookSecrets": true,
  "webhooksRetrySchedule": true,
  "webhooksConcurrency": true,
  "webhooksRate": true,
  "webhooksAttemptLog": true,
  "webhooksAttemptLogDays": true,
  "webhooksKeepFailedDays": true,
  "webhookTargets": true,
  "authServer": true,
  "authServerProtocol": true,
  "ignoreMailCertErrors": true,
  "smtpEhloName": true,
  "proxyEnabled": true,
  "proxyUrl": true,
  "httpProxyEnabled": true,
  "httpProxyUrl": true,
  "localAddresses": true,
  "smtpStrategy": true,
  "imapStrategy": true,
  "enableApiProxy": true,
  "tokenAuditLog": true,
  "enableOAuthTokensApi": true,
  "deliveryAttempts": true,
  "trackOpens": true,
  "trackClicks": true,
  "trackRepeatWindow": true,
  "templateHeader": true,
  "templateHtmlHead": true,
  "locale": true,
  "timezone": true,
  "pageBrandName": true,
  "generateEmailSummary": true,
  "openAiAPIKey": true,
  "openAiAPIUrl": true,
  "openAiModel": true,
  "openAiPrompt": true,
  "openAiTemperature": true,
  "openAiTopP": true,
  "openAiMaxTokens": true,
  "scriptEnv": true,
  "exportMaxConcurrent": true,
  "exportMaxGlobalConcurrent": true,
  "exportMaxMessages": true,
  "exportMaxSize": true,
  "gmailExportBatchSize": true,
  "outlookExportBatchSize": true,
  "resolveGmailCategories": true,
  "imapIndexer": true,
  "imapClientName": true,
  "imapClientVersion": true,
  "imapClientVendor": true,
  "imapClientSupportUrl": true,
  "logs": true,
  "imapProxyServerEnabled": true,
  "imapProxyServerPort": true,
  "imapProxyServerHost": true,
  "imapProxyServerTLSEnabled": true,
  "imapProxyServerProxy": true,
  "imapProxyServerPassword": true,
  "smtpServerEnabled": true,
  "smtpServerPort": true,
  "smtpServerHost": true,
  "smtpServerTLSEnabled": true,
  "smtpServerProxy": true,
  "smtpServerAuthEnabled": true,
  "smtpServerPassword": true,
  "eventTypes": true
}

export const updateSettingsFirst: UpdateSettingsInput = {
  "body": {
    "webhooks": "text",
    "webhooksEnabled": true,
    "webhookEvents": [
      "text"
    ],
    "webhooksCustomHeaders": [
      {
        "key": "text",
        "value": "text"
      }
    ],
    "notifyHeaders": [
      "text"
    ],
    "notifyText": true,
    "notifyTextSize": 1,
    "notifyWebSafeHtml": true,
    "notifyAttachments": true,
    "notifyAttachmentList": true,
    "notifyAttachmentSize": 1,
    "notifyCalendarEvents": true,
    "inboxNewOnly": true,
    "serviceUrl": "text",
    "notificationBaseUrl": "text",
    "gmailSubscriptionTtl": 1,
    "serviceSecret": "text",
    "serviceSecretOverlap": 1,
    "webhookSecrets": [
      {
        "target": "text",
        "secret": "text"
      }
    ],
    "webhooksRetrySchedule": [
      1
    ],
    "webhooksConcurrency": 1,
    "webhooksRate": 1,
    "webhooksAttemptLog": true,
    "webhooksAttemptLogDays": 1,
    "webhooksKeepFailedDays": 1,
    "webhookTargets": [
      {
        "target": "text",
        "retrySchedule": [
          1
        ],
        "concurrency": 1,
        "rate": 1
      }
    ],
    "authServer": "text",
    "authServerProtocol": true,
    "ignoreMailCertErrors": true,
    "smtpEhloName": "text",
    "proxyEnabled": true,
    "proxyUrl": "text",
    "httpProxyEnabled": true,
    "httpProxyUrl": "text",
    "localAddresses": [
      "text"
    ],
    "smtpStrategy": "default",
    "imapStrategy": "default",
    "enableApiProxy": true,
    "tokenAuditLog": true,
    "enableOAuthTokensApi": true,
    "deliveryAttempts": 1,
    "trackOpens": true,
    "trackClicks": true,
    "trackRepeatWindow": 1,
    "templateHeader": "text",
    "templateHtmlHead": "text",
    "locale": "text",
    "timezone": "text",
    "pageBrandName": "text",
    "generateEmailSummary": true,
    "openAiAPIKey": "text",
    "openAiAPIUrl": "text",
    "openAiModel": "text",
    "openAiPrompt": "text",
    "openAiTemperature": 1,
    "openAiTopP": 1,
    "openAiMaxTokens": 1,
    "scriptEnv": "text",
    "exportMaxConcurrent": 1,
    "exportMaxGlobalConcurrent": 1,
    "exportMaxMessages": 1,
    "exportMaxSize": 1,
    "gmailExportBatchSize": 1,
    "outlookExportBatchSize": 1,
    "resolveGmailCategories": true,
    "imapIndexer": "full",
    "imapClientName": "text",
    "imapClientVersion": "text",
    "imapClientVendor": "text",
    "imapClientSupportUrl": "text",
    "logs": {
      "all": true,
      "maxLogLines": 1
    },
    "imapProxyServerEnabled": true,
    "imapProxyServerPort": 1,
    "imapProxyServerHost": "text",
    "imapProxyServerTLSEnabled": true,
    "imapProxyServerProxy": true,
    "imapProxyServerPassword": "text",
    "smtpServerEnabled": true,
    "smtpServerPort": 1,
    "smtpServerHost": "text",
    "smtpServerTLSEnabled": true,
    "smtpServerProxy": true,
    "smtpServerAuthEnabled": true,
    "smtpServerPassword": "text"
  }
}

export const updateSettingsLast: UpdateSettingsInput = {
  "body": {
    "webhooks": null,
    "webhooksEnabled": null,
    "webhookEvents": null,
    "webhooksCustomHeaders": null,
    "notifyHeaders": null,
    "notifyText": null,
    "notifyTextSize": null,
    "notifyWebSafeHtml": null,
    "notifyAttachments": null,
    "notifyAttachmentList": null,
    "notifyAttachmentSize": null,
    "notifyCalendarEvents": null,
    "inboxNewOnly": null,
    "serviceUrl": null,
    "notificationBaseUrl": null,
    "gmailSubscriptionTtl": null,
    "serviceSecret": null,
    "serviceSecretOverlap": null,
    "webhookSecrets": null,
    "webhooksRetrySchedule": null,
    "webhooksConcurrency": null,
    "webhooksRate": null,
    "webhooksAttemptLog": null,
    "webhooksAttemptLogDays": null,
    "webhooksKeepFailedDays": null,
    "webhookTargets": null,
    "authServer": null,
    "authServerProtocol": null,
    "ignoreMailCertErrors": null,
    "smtpEhloName": null,
    "proxyEnabled": null,
    "proxyUrl": null,
    "httpProxyEnabled": null,
    "httpProxyUrl": null,
    "localAddresses": null,
    "smtpStrategy": null,
    "imapStrategy": null,
    "enableApiProxy": null,
    "tokenAuditLog": null,
    "enableOAuthTokensApi": null,
    "deliveryAttempts": null,
    "trackOpens": null,
    "trackClicks": null,
    "trackRepeatWindow": null,
    "templateHeader": null,
    "templateHtmlHead": null,
    "locale": null,
    "timezone": null,
    "pageBrandName": null,
    "generateEmailSummary": null,
    "openAiAPIKey": null,
    "openAiAPIUrl": null,
    "openAiModel": null,
    "openAiPrompt": null,
    "openAiTemperature": null,
    "openAiTopP": null,
    "openAiMaxTokens": null,
    "scriptEnv": null,
    "exportMaxConcurrent": null,
    "exportMaxGlobalConcurrent": null,
    "exportMaxMessages": null,
    "exportMaxSize": null,
    "gmailExportBatchSize": null,
    "outlookExportBatchSize": null,
    "resolveGmailCategories": null,
    "imapIndexer": null,
    "imapClientName": null,
    "imapClientVersion": null,
    "imapClientVendor": null,
    "imapClientSupportUrl": null,
    "logs": null,
    "imapProxyServerEnabled": null,
    "imapProxyServerPort": null,
    "imapProxyServerHost": null,
    "imapProxyServerTLSEnabled": null,
    "imapProxyServerProxy": null,
    "imapProxyServerPassword": null,
    "smtpServerEnabled": null,
    "smtpServerPort": null,
    "smtpServerHost": null,
    "smtpServerTLSEnabled": null,
    "smtpServerProxy": null,
    "smtpServerAuthEnabled": null,
    "smtpServerPassword": null
  }
}

export const getStatsFirst: GetStatsInput = {
  "seconds": 1
}

export const getStatsLast: GetStatsInput = {
  "seconds": 1
}

export const submitDraftFirst: SubmitDraftInput = {
  "account": "text",
  "message": "text",
  "timeout": 1,
  "idempotencyKey": "text",
  "body": {
    "envelope": {
      "from": "text",
      "to": [
        "text"
      ]
    },
    "sendAt": "text",
    "deliveryAttempts": 1,
    "gateway": "text",
    "dsn": {
      "id": "text",
      "return": "headers",
      "notify": [
        "never"
      ],
      "recipient": "text"
    },
    "proxy": "text",
    "localAddress": "text",
    "copy": true,
    "sentMailPath": "text"
  }
}

export const submitDraftLast: SubmitDraftInput = {
  "account": "text",
  "message": "text",
  "timeout": 1,
  "idempotencyKey": "text",
  "body": {
    "envelope": {
      "from": "",
      "to": [
        "text"
      ]
    },
    "sendAt": "text",
    "deliveryAttempts": 1,
    "gateway": "text",
    "dsn": {
      "id": "text",
      "return": "full",
      "notify": [
        "delay"
      ],
      "recipient": "text"
    },
    "proxy": "text",
    "localAddress": "text",
    "copy": null,
    "sentMailPath": "text"
  }
}

export const submitMessageFirst: SubmitMessageInput = {
  "account": "text",
  "useStructuredFormat": true,
  "documentStore": true,
  "timeout": 1,
  "idempotencyKey": "text",
  "body": {
    "from": {
      "name": "text",
      "address": "text"
    },
    "replyTo": [
      {
        "name": "text",
        "address": "text"
      }
    ],
    "to": [
      {
        "name": "text",
        "address": "text"
      }
    ],
    "cc": [
      {
        "name": "text",
        "address": "text"
      }
    ],
    "bcc": [
      {
        "name": "text",
        "address": "text"
      }
    ],
    "envelope": {
      "from": "text",
      "to": [
        "text"
      ]
    },
    "subject": "text",
    "text": "text",
    "html": "text",
    "previewText": "text",
    "messageId": "text",
    "headers": {
      "name": "text"
    },
    "attachments": [
      {
        "filename": "text",
        "contentType": "text",
        "contentDisposition": "inline",
        "cid": "text",
        "encoding": "base64",
        "content": "text",
        "reference": "text"
      }
    ],
    "reference": {
      "message": "text",
      "action": "forward",
      "inline": true,
      "forwardAttachments": true,
      "ignoreMissing": true,
      "messageId": "text",
      "threadId": "text",
      "documentStore": true
    },
    "raw": "text",
    "mailMerge": [
      {
        "to": {
          "name": "text",
          "address": "text"
        },
        "messageId": "text",
        "params": {
          "name": "text"
        },
        "sendAt": "text"
      }
    ],
    "template": "text",
    "render": {
      "format": "html",
      "params": {
        "name": "text"
      }
    },
    "sendAt": "text",
    "deliveryAttempts": 1,
    "gateway": "text",
    "dsn": {
      "id": "text",
      "return": "headers",
      "notify": [
        "never"
      ],
      "recipient": "text"
    },
    "proxy": "text",
    "localAddress": "text",
    "copy": true,
    "sentMailPath": "text",
    "trackOpens": true,
    "trackClicks": true,
    "listId": "text",
    "baseUrl": "text",
    "locale": "text",
    "tz": "text",
    "dryRun": true
  }
}

export const submitMessageLast: SubmitMessageInput = {
  "account": "text",
  "useStructuredFormat": true,
  "documentStore": true,
  "timeout": 1,
  "idempotencyKey": "text",
  "body": {
    "from": {
      "name": "text",
      "address": "text"
    },
    "replyTo": [
      {
        "name": "text",
        "address": "text"
      }
    ],
    "to": [
      {
        "name": "text",
        "address": "text"
      }
    ],
    "cc": [
      {
        "name": "text",
        "address": "text"
      }
    ],
    "bcc": [
      {
        "name": "text",
        "address": "text"
      }
    ],
    "envelope": {
      "from": "",
      "to": [
        "text"
      ]
    },
    "subject": "text",
    "text": "text",
    "html": "text",
    "previewText": "text",
    "messageId": "text",
    "headers": {
      "name": [
        "text"
      ]
    },
    "attachments": [
      {
        "filename": "text",
        "contentType": "text",
        "contentDisposition": "attachment",
        "cid": "text",
        "encoding": "base64",
        "content": "text",
        "reference": null
      }
    ],
    "reference": {
      "message": "text",
      "action": "reply-all",
      "inline": true,
      "forwardAttachments": true,
      "ignoreMissing": true,
      "messageId": "text",
      "threadId": "text",
      "documentStore": true
    },
    "raw": "text",
    "mailMerge": [
      {
        "to": {
          "name": "text",
          "address": "text"
        },
        "messageId": "text",
        "params": {
          "name": "text"
        },
        "sendAt": "text"
      }
    ],
    "template": "text",
    "render": false,
    "sendAt": "text",
    "deliveryAttempts": 1,
    "gateway": "text",
    "dsn": {
      "id": "text",
      "return": "full",
      "notify": [
        "delay"
      ],
      "recipient": "text"
    },
    "proxy": "text",
    "localAddress": "text",
    "copy": null,
    "sentMailPath": "text",
    "trackOpens": true,
    "trackClicks": true,
    "listId": "text",
    "baseUrl": "text",
    "locale": "text",
    "tz": "text",
    "dryRun": true
  }
}

export const createTemplateFirst: CreateTemplateInput = {
  "body": {
    "account": "text",
    "name": "text",
    "description": "text",
    "format": "html",
    "content": {
      "subject": "text",
      "text": "text",
      "html": "text",
      "previewText": "text"
    }
  }
}

export const createTemplateLast: CreateTemplateInput = {
  "body": {
    "account": null,
    "name": "text",
    "description": "text",
    "format": "markdown",
    "content": {
      "subject": "text",
      "text": "text",
      "html": "text",
      "previewText": "text"
    }
  }
}

export const deleteTemplateFirst: DeleteTemplateInput = {
  "template": "text"
}

export const deleteTemplateLast: DeleteTemplateInput = {
  "template": "text"
}

export const getTemplateFirst: GetTemplateInput = {
  "template": "text"
}

export const getTemplateLast: GetTemplateInput = {
  "template": "text"
}

export const updateTemplateFirst: UpdateTemplateInput = {
  "template": "text",
  "body": {
    "name": "text",
    "description": "text",
    "format": "html",
    "content": {
      "subject": "text",
      "text": "text",
      "html": "text",
      "previewText": "text"
    }
  }
}

export const updateTemplateLast: UpdateTemplateInput = {
  "template": "text",
  "body": {
    "name": "text",
    "description": "text",
    "format": "markdown",
    "content": {
      "subject": "text",
      "text": "text",
      "html": "text",
      "previewText": "text"
    }
  }
}

export const flushTemplatesFirst: FlushTemplatesInput = {
  "account": "text",
  "force": true
}

export const flushTemplatesLast: FlushTemplatesInput = {
  "account": "text",
  "force": true
}

export const listTemplatesFirst: ListTemplatesInput = {
  "page": 1,
  "pageSize": 1,
  "account": "text"
}

export const listTemplatesLast: ListTemplatesInput = {
  "page": 1,
  "pageSize": 1,
  "account": "text"
}

export const createTokenFirst: CreateTokenInput = {
  "body": {
    "account": "text",
    "description": "text",
    "scopes": [
      "api"
    ],
    "metadata": "text",
    "restrictions": {
      "referrers": [
        "text"
      ],
      "addresses": [
        "text"
      ],
      "rateLimit": {
        "maxRequests": 1,
        "timeWindow": 1
      }
    },
    "permissions": {
      "actions": [
        "read"
      ],
      "groups": [
        "account"
      ]
    },
    "expires": "text",
    "ip": "text"
  }
}

export const createTokenLast: CreateTokenInput = {
  "body": {
    "account": "text",
    "description": "text",
    "scopes": [
      "imap-proxy"
    ],
    "metadata": "text",
    "restrictions": null,
    "permissions": null,
    "expires": "text",
    "ip": "text"
  }
}

export const listTokensFirst: ListTokensInput = {
  "page": 1,
  "pageSize": 1,
  "query": "text",
  "account": "text"
}

export const listTokensLast: ListTokensInput = {
  "page": 1,
  "pageSize": 1,
  "query": "text",
  "account": "text"
}

export const createTokenAliasFirst: CreateTokenAliasInput = {
  "body": {
    "account": "text",
    "description": "text",
    "scopes": [
      "api"
    ],
    "metadata": "text",
    "restrictions": {
      "referrers": [
        "text"
      ],
      "addresses": [
        "text"
      ],
      "rateLimit": {
        "maxRequests": 1,
        "timeWindow": 1
      }
    },
    "permissions": {
      "actions": [
        "read"
      ],
      "groups": [
        "account"
      ]
    },
    "expires": "text",
    "ip": "text"
  }
}

export const createTokenAliasLast: CreateTokenAliasInput = {
  "body": {
    "account": "text",
    "description": "text",
    "scopes": [
      "imap-proxy"
    ],
    "metadata": "text",
    "restrictions": null,
    "permissions": null,
    "expires": "text",
    "ip": "text"
  }
}

export const deleteTokenFirst: DeleteTokenInput = {
  "token": "text"
}

export const deleteTokenLast: DeleteTokenInput = {
  "token": "text"
}

export const getTokenFirst: GetTokenInput = {
  "token": "text"
}

export const getTokenLast: GetTokenInput = {
  "token": "text"
}

export const deleteTokenAliasFirst: DeleteTokenAliasInput = {
  "token": "text"
}

export const deleteTokenAliasLast: DeleteTokenAliasInput = {
  "token": "text"
}

export const getTokenLogFirst: GetTokenLogInput = {
  "token": "text",
  "page": 1,
  "pageSize": 1
}

export const getTokenLogLast: GetTokenLogInput = {
  "token": "text",
  "page": 1,
  "pageSize": 1
}

export const uploadMessageFirst: UploadMessageInput = {
  "account": "text",
  "timeout": 1,
  "body": {
    "path": "text",
    "flags": [
      "text"
    ],
    "internalDate": "text",
    "reference": {
      "message": "text",
      "action": "forward",
      "inline": true,
      "forwardAttachments": true,
      "ignoreMissing": true,
      "messageId": "text",
      "threadId": "text",
      "documentStore": true
    },
    "raw": "text",
    "from": {
      "name": "text",
      "address": "text"
    },
    "to": [
      {
        "name": "text",
        "address": "text"
      }
    ],
    "cc": [
      {
        "name": "text",
        "address": "text"
      }
    ],
    "bcc": [
      {
        "name": "text",
        "address": "text"
      }
    ],
    "subject": "text",
    "text": "text",
    "html": "text",
    "attachments": [
      {
        "filename": "text",
        "contentType": "text",
        "contentDisposition": "inline",
        "cid": "text",
        "encoding": "base64",
        "content": "text",
        "reference": "text"
      }
    ],
    "messageId": "text",
    "headers": {
      "name": "text"
    },
    "locale": "text",
    "tz": "text"
  }
}

export const uploadMessageLast: UploadMessageInput = {
  "account": "text",
  "timeout": 1,
  "body": {
    "path": "text",
    "flags": [
      "text"
    ],
    "internalDate": "text",
    "reference": {
      "message": "text",
      "action": "reply-all",
      "inline": true,
      "forwardAttachments": true,
      "ignoreMissing": true,
      "messageId": "text",
      "threadId": "text",
      "documentStore": true
    },
    "raw": "text",
    "from": {
      "name": "text",
      "address": "text"
    },
    "to": [
      {
        "name": "text",
        "address": "text"
      }
    ],
    "cc": [
      {
        "name": "text",
        "address": "text"
      }
    ],
    "bcc": [
      {
        "name": "text",
        "address": "text"
      }
    ],
    "subject": "text",
    "text": "text",
    "html": "text",
    "attachments": [
      {
        "filename": "text",
        "contentType": "text",
        "contentDisposition": "attachment",
        "cid": "text",
        "encoding": "base64",
        "content": "text",
        "reference": null
      }
    ],
    "messageId": "text",
    "headers": {
      "name": [
        "text"
      ]
    },
    "locale": "text",
    "tz": "text"
  }
}

export const flushAccountFirst: FlushAccountInput = {
  "account": "text",
  "body": {
    "flush": true,
    "notifyFrom": "text",
    "imapIndexer": "full"
  }
}

export const flushAccountLast: FlushAccountInput = {
  "account": "text",
  "body": {
    "flush": true,
    "notifyFrom": null,
    "imapIndexer": null
  }
}

export const getServerSignaturesFirst: GetServerSignaturesInput = {
  "account": "text",
  "timeout": 1
}

export const getServerSignaturesLast: GetServerSignaturesInput = {
  "account": "text",
  "timeout": 1
}

export const reconnectAccountFirst: ReconnectAccountInput = {
  "account": "text",
  "body": {
    "reconnect": true
  }
}

export const reconnectAccountLast: ReconnectAccountInput = {
  "account": "text",
  "body": {
    "reconnect": true
  }
}

export const syncAccountFirst: SyncAccountInput = {
  "account": "text",
  "timeout": 1,
  "body": {
    "sync": true
  }
}

export const syncAccountLast: SyncAccountInput = {
  "account": "text",
  "timeout": 1,
  "body": {
    "sync": true
  }
}

export const verifyAccountFirst: VerifyAccountInput = {
  "timeout": 1,
  "body": {
    "mailboxes": true,
    "imap": {
      "useAuthServer": true,
      "auth": {
        "user": "text",
        "pass": "text",
        "accessToken": "text"
      },
      "host": "text",
      "port": 1,
      "secure": true,
      "tls": {
        "rejectUnauthorized": true,
        "minVersion": "TLSv1",
        "requireStartTls": true
      },
      "disableIMAP4rev2": true,
      "resyncDelay": 1,
      "sentMailPath": "text",
      "draftsMailPath": "text",
      "junkMailPath": "text",
      "trashMailPath": "text",
      "archiveMailPath": "text",
      "disabled": true
    },
    "smtp": {
      "useAuthServer": true,
      "auth": {
        "user": "text",
        "pass": "text",
        "accessToken": "text"
      },
      "host": "text",
      "port": 1,
      "secure": true,
      "tls": {
        "rejectUnauthorized": true,
        "minVersion": "TLSv1",
        "requireStartTls": true
      }
    },
    "proxy": "text",
    "smtpEhloName": "text"
  }
}

export const verifyAccountLast: VerifyAccountInput = {
  "timeout": 1,
  "body": {
    "mailboxes": true,
    "imap": false,
    "smtp": false,
    "proxy": "text",
    "smtpEhloName": null
  }
}

export const createWebhookReplayFirst: CreateWebhookReplayInput = {
  "body": {
    "target": "text",
    "address": "text",
    "event": "text",
    "account": "text",
    "outcome": "text",
    "since": "text",
    "until": "text"
  }
}

export const createWebhookReplayLast: CreateWebhookReplayInput = {
  "body": {
    "target": "text",
    "address": "text",
    "event": "text",
    "account": "text",
    "outcome": "text",
    "since": "text",
    "until": "text"
  }
}

export const listWebhookReplaysFirst: ListWebhookReplaysInput = {
  "page": 1,
  "pageSize": 1
}

export const listWebhookReplaysLast: ListWebhookReplaysInput = {
  "page": 1,
  "pageSize": 1
}

export const getWebhookDeliveryFirst: GetWebhookDeliveryInput = {
  "delivery": "text"
}

export const getWebhookDeliveryLast: GetWebhookDeliveryInput = {
  "delivery": "text"
}

export const getWebhookReplayFirst: GetWebhookReplayInput = {
  "replay": "text"
}

export const getWebhookReplayLast: GetWebhookReplayInput = {
  "replay": "text"
}

export const listWebhookDeliveriesFirst: ListWebhookDeliveriesInput = {
  "target": "text",
  "address": "text",
  "event": "text",
  "account": "text",
  "outcome": "text",
  "since": "text",
  "until": "text",
  "state": "due",
  "cursor": "text",
  "pageSize": 1
}

export const listWebhookDeliveriesLast: ListWebhookDeliveriesInput = {
  "target": "text",
  "address": "text",
  "event": "text",
  "account": "text",
  "outcome": "text",
  "since": "text",
  "until": "text",
  "state": "dropped",
  "cursor": "text",
  "pageSize": 1
}

export const retryWebhookDeliveryFirst: RetryWebhookDeliveryInput = {
  "delivery": "text"
}

export const retryWebhookDeliveryLast: RetryWebhookDeliveryInput = {
  "delivery": "text"
}

export const createWebhookRouteFirst: CreateWebhookRouteInput = {
  "body": {
    "name": "text",
    "targetUrl": "text",
    "description": "text",
    "enabled": true,
    "customHeaders": [
      {
        "key": "text",
        "value": "text"
      }
    ],
    "content": {
      "fn": "text",
      "map": "text"
    }
  }
}

export const createWebhookRouteLast: CreateWebhookRouteInput = {
  "body": {
    "name": "text",
    "targetUrl": "text",
    "description": null,
    "enabled": true,
    "customHeaders": [
      {
        "key": "text",
        "value": "text"
      }
    ],
    "content": {
      "fn": null,
      "map": null
    }
  }
}

export const deleteWebhookRouteFirst: DeleteWebhookRouteInput = {
  "webhookRoute": "text"
}

export const deleteWebhookRouteLast: DeleteWebhookRouteInput = {
  "webhookRoute": "text"
}

export const updateWebhookRouteFirst: UpdateWebhookRouteInput = {
  "webhookRoute": "text",
  "body": {
    "name": "text",
    "targetUrl": "text",
    "description": "text",
    "enabled": true,
    "customHeaders": [
      {
        "key": "text",
        "value": "text"
      }
    ],
    "content": {
      "fn": "text",
      "map": "text"
    }
  }
}

export const updateWebhookRouteLast: UpdateWebhookRouteInput = {
  "webhookRoute": "text",
  "body": {
    "name": "text",
    "targetUrl": "text",
    "description": null,
    "enabled": true,
    "customHeaders": [
      {
        "key": "text",
        "value": "text"
      }
    ],
    "content": {
      "fn": null,
      "map": null
    }
  }
}

export const getWebhookRouteFirst: GetWebhookRouteInput = {
  "webhookRoute": "text"
}

export const getWebhookRouteLast: GetWebhookRouteInput = {
  "webhookRoute": "text"
}

export const listWebhookRouteErrorsFirst: ListWebhookRouteErrorsInput = {
  "webhookRoute": "text"
}

export const listWebhookRouteErrorsLast: ListWebhookRouteErrorsInput = {
  "webhookRoute": "text"
}

export const listWebhookRoutesFirst: ListWebhookRoutesInput = {
  "page": 1,
  "pageSize": 1
}

export const listWebhookRoutesLast: ListWebhookRoutesInput = {
  "page": 1,
  "pageSize": 1
}

export const testWebhookRouteFirst: TestWebhookRouteInput = {
  "body": {
    "content": {
      "fn": "text",
      "map": "text"
    },
    "payload": {
      "name": "text"
    }
  }
}

export const testWebhookRouteLast: TestWebhookRouteInput = {
  "body": {
    "content": {
      "fn": null,
      "map": null
    },
    "payload": {
      "name": "text"
    }
  }
}

export const recordedOperations: Operations = {
  createAccount: operations.createAccount,
  deleteAccount: operations.deleteAccount,
  getAccount: operations.getAccount,
  updateAccount: operations.updateAccount,
  listAccounts: operations.listAccounts,
  createAuthenticationForm: operations.createAuthenticationForm,
  getAutoconfig: operations.getAutoconfig,
  addToBlocklist: operations.addToBlocklist,
  getBlocklist: operations.getBlocklist,
  removeFromBlocklist: operations.removeFromBlocklist,
  listBlocklists: operations.listBlocklists,
  followChanges: operations.followChanges,
  createExport: operations.createExport,
  deleteExport: operations.deleteExport,
  getExport: operations.getExport,
  downloadExport: operations.downloadExport,
  listAllExports: operations.listAllExports,
  listExports: operations.listExports,
  createGateway: operations.createGateway,
  deleteGateway: operations.deleteGateway,
  getGateway: operations.getGateway,
  listGateways: operations.listGateways,
  updateGateway: operations.updateGateway,
  deleteLicense: operations.deleteLicense,
  getLicense: operations.getLicense,
  setLicense: operations.setLicense,
  getLogs: operations.getLogs,
  createMailbox: operations.createMailbox,
  deleteMailbox: operations.deleteMailbox,
  updateMailbox: operations.updateMailbox,
  listMailboxes: operations.listMailboxes,
  deleteMessage: operations.deleteMessage,
  updateMessage: operations.updateMessage,
  getMessage: operations.getMessage,
  deleteMessages: operations.deleteMessages,
  moveMessage: operations.moveMessage,
  moveMessages: operations.moveMessages,
  updateMessages: operations.updateMessages,
  listMessages: operations.listMessages,
  getAttachment: operations.getAttachment,
  getMessageSource: operations.getMessageSource,
  getText: operations.getText,
  searchMessages: operations.searchMessages,
  checkOAuth2App: operations.checkOAuth2App,
  createOAuth2App: operations.createOAuth2App,
  listOAuth2Apps: operations.listOAuth2Apps,
  deleteOAuth2App: operations.deleteOAuth2App,
  getOAuth2App: operations.getOAuth2App,
  updateOAuth2App: operations.updateOAuth2App,
  getOAuthToken: operations.getOAuthToken,
  getPubSubStatus: operations.getPubSubStatus,
  deleteOutboxEntry: operations.deleteOutboxEntry,
  getOutboxEntry: operations.getOutboxEntry,
  holdOutboxEntry: operations.holdOutboxEntry,
  listOutbox: operations.listOutbox,
  releaseOutboxEntry: operations.releaseOutboxEntry,
  sendOutboxEntry: operations.sendOutboxEntry,
  getQueue: operations.getQueue,
  updateQueue: operations.updateQueue,
  getSettings: operations.getSettings,
  updateSettings: operations.updateSettings,
  getStats: operations.getStats,
  submitDraft: operations.submitDraft,
  submitMessage: operations.submitMessage,
  createTemplate: operations.createTemplate,
  deleteTemplate: operations.deleteTemplate,
  getTemplate: operations.getTemplate,
  updateTemplate: operations.updateTemplate,
  flushTemplates: operations.flushTemplates,
  listTemplates: operations.listTemplates,
  createToken: operations.createToken,
  listTokens: operations.listTokens,
  createTokenAlias: operations.createTokenAlias,
  deleteToken: operations.deleteToken,
  getToken: operations.getToken,
  deleteTokenAlias: operations.deleteTokenAlias,
  getTokenLog: operations.getTokenLog,
  uploadMessage: operations.uploadMessage,
  flushAccount: operations.flushAccount,
  getServerSignatures: operations.getServerSignatures,
  reconnectAccount: operations.reconnectAccount,
  syncAccount: operations.syncAccount,
  verifyAccount: operations.verifyAccount,
  createWebhookReplay: operations.createWebhookReplay,
  listWebhookReplays: operations.listWebhookReplays,
  getWebhookDelivery: operations.getWebhookDelivery,
  getWebhookReplay: operations.getWebhookReplay,
  listWebhookDeliveries: operations.listWebhookDeliveries,
  retryWebhookDelivery: operations.retryWebhookDelivery,
  createWebhookRoute: operations.createWebhookRoute,
  deleteWebhookRoute: operations.deleteWebhookRoute,
  updateWebhookRoute: operations.updateWebhookRoute,
  getWebhookRoute: operations.getWebhookRoute,
  listWebhookRouteErrors: operations.listWebhookRouteErrors,
  listWebhookRoutes: operations.listWebhookRoutes,
  testWebhookRoute: operations.testWebhookRoute,
}
