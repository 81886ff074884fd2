import Foundation

/// An activity of the system, as far as the views use it
/// (https://developer.apple.com/documentation/foundation/nsuseractivity).
public final class NSUserActivity {
  public let activityType: String
  public var title: String?
  public var userInfo: [AnyHashable: Any]?
  public var webpageURL: URL?
  public var requiredUserInfoKeys: Set<String>?
  public var isEligibleForHandoff = true
  public var isEligibleForSearch = false
  public var persistentIdentifier: String?

  public init(activityType: String) { self.activityType = activityType }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"
