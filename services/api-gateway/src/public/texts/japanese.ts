import type { PageTexts } from './english.ts'

/** Japanese texts of the public pages, in polite form. */
export const japanese: PageTexts = {
  form: {
    choose: {
      title: 'メールボックスの接続',
      lead: 'ご利用のメールサービスを選択してください。',
      other: 'その他のメールボックス (IMAP)',
      signIn: (name) => `${name} でログイン`,
    },
    person: {
      title: 'メールボックスの接続',
      lead: '次の画面で、メールサービスのサーバーを検索します。',
      name: 'お名前',
      email: 'メールアドレス',
      pass: 'メールボックスのパスワード',
      next: '続ける',
      pinned: '接続できるのはこのメールボックスのみです。',
    },
    servers: {
      title: '設定の確認',
      lead: 'メールボックスのサーバーは次のとおりです。必要に応じて修正してください。',
      notDiscovered:
        'このメールボックスのサーバーが見つかりませんでした。ご利用のメールサービスにご確認ください。',
      incoming: '受信メール (IMAP)',
      outgoing: '送信メール (SMTP)',
      outgoingNote: 'このメールボックスから送信しない場合は、サーバーを空欄にしてください。',
      host: 'サーバー',
      port: 'ポート',
      smtpPort: 'ポート (465 は TLS、その他は STARTTLS)',
      security: '暗号化',
      tls: 'TLS (標準)',
      startTls: 'STARTTLS',
      user: 'ユーザー名',
      pass: 'パスワード',
      passNote: '空欄の場合、すでに入力したパスワードを使用します。',
      smtpPassNote: '空欄の場合、受信メールのパスワードを使用します。',
      connect: 'メールボックスを接続',
      test: '設定のテストのみ行う',
      works: '正常です。ログインできました。',
    },
    done: {
      title: 'メールボックスを接続しました',
      lead: '自動的に移動します。',
      next: '続ける',
    },
    used: {
      title: 'このリンクはすでに使用されています',
      lead: 'メールボックスは接続されています。これ以上の操作は必要ありません。',
      next: '続ける',
    },
    expired: {
      title: 'このリンクは無効になりました',
      lead: '有効期限が切れているか、すでに使用されています。ウェブサイトに戻り、新しいリンクを取得してください。',
    },
    invalid: {
      title: 'このリンクは使用できません',
      lead: 'リンクが不完全か、変更されています。ウェブサイトに戻るか、リンク全体をコピーしてください。',
    },
    exhausted: {
      title: '試行回数が上限に達しました',
      lead: 'これ以上試行できません。ウェブサイトに戻り、新しいリンクを取得してください。',
    },
    unavailable: {
      title: '現在ご利用いただけません',
      lead: '何も変更されていません。1 分ほど待ってから、もう一度お試しください。',
    },
    noApplication: {
      title: 'ログインできません',
      lead: 'このログイン方法は現在ご利用いただけません。',
      next: '利用できる方法を表示',
    },
    errors: {
      name: '名前を 256 文字以内で入力してください。',
      email: '完全なメールアドレスを入力してください (例: hanako@example.com)。',
      pinned: (expected) => `このリンクで接続できるのは ${expected} のみです。`,
      pinnedUser: (expected) =>
        `接続できるのは ${expected} のメールボックスのみです。このアドレス、または @ より前の部分を入力してください。`,
      pass: 'パスワードを 1 行、256 文字以内で入力してください。',
      user: 'ユーザー名を 1 行、256 文字以内で入力してください。',
      host: 'サーバー名を入力してください (例: mail.example.com)。',
      port: '1 から 65535 までの数字を入力してください。',
      other: 'この値は正しくありません。',
    },
    verification: {
      login: 'このユーザー名とパスワードはサーバーに拒否されました。',
      loginWithReply: (reply) =>
        `このユーザー名とパスワードはサーバーに拒否されました。サーバーの応答: ${reply}`,
      server:
        'このアドレスとポートでは、この暗号化方式で使用できるメールサーバーがありません。' +
        'サーバーの証明書がサーバー名に対して有効でない可能性があります。',
      unavailable: '現在、設定をテストできません。1 分ほど待ってから、もう一度お試しください。',
    },
    appPasswordHint: (provider, instructions) => `${provider}: ${instructions}。`,
    appPasswords: {
      google:
        '2 段階認証プロセスを有効にし、 https://myaccount.google.com/apppasswords でアプリ パスワードを作成してください',
      yahoo:
        'アカウントセキュリティのページ https://login.yahoo.com/account/security でアプリパスワードを作成してください',
      aol: 'アカウントセキュリティのページ https://login.aol.com/account/security でアプリパスワードを作成してください',
      icloud: 'https://account.apple.com/account/manage でアプリ用パスワードを作成してください',
      fastmail: 'Fastmail の設定の「Privacy & Security」でアプリパスワードを作成してください',
      zoho: 'Zoho Mail の設定で IMAP を有効にしてください。二要素認証をご利用の場合は、アプリ専用のパスワードを作成してください',
      yandex:
        'Yandex Mail の設定でメールソフトの使用を許可し、 https://id.yandex.com/security/app-passwords でアプリパスワードを作成してください',
      mailRu:
        'https://account.mail.ru/user/2-step-auth/passwords で外部アプリ用のパスワードを作成してください',
      qqMail: 'QQ Mail の設定で IMAP を有効にし、表示される認証コードを使用してください',
      netEase: 'メールボックスの設定で IMAP を有効にし、表示される認証コードを使用してください',
      imapOff:
        '設定で IMAP を有効にしてください。二要素認証をご利用の場合は、アプリ専用のパスワードを作成してください',
    },
  },
  signIn: {
    again: 'もう一度ログインする',
    unknown: {
      title: 'このログインは終了しました',
      lead: 'すでに完了しているか、1 時間以上経過したか、別のブラウザーで開始されました。メールボックスが接続されていない場合は、ウェブサイトに戻って最初からやり直してください。',
    },
    denied: {
      title: 'メールボックスは接続されていません',
      lead: 'ログインがキャンセルされたか、アクセスが許可されませんでした。何も変更されていません。',
    },
    refused: {
      title: 'ログインできませんでした',
      lead: 'メールサービスがログインを承認しませんでした。何も変更されていません。',
    },
    missing: {
      title: '必要な権限がありません',
      lead: '次の権限がすべて必要です。もう一度ログインして許可してください。',
    },
    unverified: {
      title: 'このアドレスは確認されていません',
      lead: 'このアドレスの所有者がお客様であることを、メールサービスが確認していません。メールサービスで確認を済ませてから、もう一度ログインしてください。何も変更されていません。',
    },
    failure: {
      remedy: '対処方法',
      error: 'メールサービスのエラー',
    },
    other: {
      title: '別のメールボックスです',
      lead: '接続するメールボックスとは別のメールボックスでログインしました。何も変更されていません。',
      expected: '接続するメールボックス',
      signedIn: 'ログインしたメールボックス',
    },
    exists: {
      title: 'このメールボックスはすでに接続されています',
      lead: '別のアカウントで使用されています。何も変更されていません。',
    },
    unavailable: {
      title: '現在ご利用いただけません',
      lead: 'メールボックスはまだ接続されていません。1 分ほど待ってから、もう一度ログインしてください。',
    },
    remedies: {
      askAdministrator:
        '組織の管理者にこのアプリケーションの承認を依頼してから、もう一度ログインしてください。',
      askForAssignment: '組織の管理者に、このアプリケーションの割り当てを依頼してください。',
      askOperator: 'このサービスの運営者に、メールサービスへの登録内容の修正を依頼してください。',
      useOrganisation:
        'このアプリケーションの対象となっている組織のアカウントでログインしてください。',
      usePermittedDevice:
        '組織のポリシーで許可されている端末またはネットワークからログインしてください。',
      acceptPermissions: 'もう一度ログインし、要求された権限を許可してください。',
      answerQuestions: 'もう一度ログインし、メールサービスのすべての質問に回答してください。',
      tryLater: '数分待ってから、もう一度ログインしてください。',
    },
  },
  links: {
    confirm: {
      title: '配信停止',
      lead: 'これらのメールの配信を停止しますか。',
      button: '配信を停止する',
      note: 'ボタンを押すまで何も変更されません。',
    },
    unsubscribed: {
      title: '配信を停止しました',
      lead: '今後、このリストのメールは届きません。',
      button: 'もう一度登録する',
      note: '誤って停止した場合は、いつでももう一度登録できます。',
    },
    blocked: {
      title: '配信を停止しました',
      lead: '今後、このリストのメールは届きません。',
      note: 'もう一度登録できるのは、リストの送信者のみです。',
    },
    resubscribed: {
      title: '配信を再開しました',
      lead: 'このリストのメールが再び届きます。',
      button: '配信を停止する',
      note: '配信はいつでも停止できます。',
    },
    address: 'アドレス',
    list: 'リスト',
    invalid: {
      title: 'このリンクは使用できません',
      lead: 'リンクが不完全か、変更されています。メールからもう一度開くか、リンク全体をコピーしてください。',
    },
    unavailable: {
      title: '現在ご利用いただけません',
      lead: '何も変更されていません。1 分ほど待ってから、もう一度お試しください。',
    },
    oneClick: '配信を停止しました',
  },
}
