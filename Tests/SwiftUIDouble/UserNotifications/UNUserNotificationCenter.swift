import Foundation

// A tapped notification, as far as an app sees it
// (https://developer.apple.com/documentation/usernotifications/unusernotificationcenterdelegate).

open class UNNotificationContent: NSObject {
  public let userInfo: [AnyHashable: Any]
  init(_ userInfo: [AnyHashable: Any]) { self.userInfo = userInfo }
}

open class UNNotificationRequest: NSObject {
  public let content: UNNotificationContent
  init(_ content: UNNotificationContent) { self.content = content }
}

open class UNNotification: NSObject {
  public let request: UNNotificationRequest
  init(_ request: UNNotificationRequest) { self.request = request }
}

open class UNNotificationResponse: NSObject {
  public let notification: UNNotification
  public init(_ userInfo: [AnyHashable: Any]) {
    notification = UNNotification(UNNotificationRequest(UNNotificationContent(userInfo)))
  }
}

public protocol UNUserNotificationCenterDelegate: AnyObject {
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping () -> Void)
}

/// The double has one thread that uses it: the main thread.
open class UNUserNotificationCenter: NSObject, @unchecked Sendable {
  private static let shared = UNUserNotificationCenter()
  public weak var delegate: (any UNUserNotificationCenterDelegate)?
  open class func current() -> UNUserNotificationCenter { shared }
}
