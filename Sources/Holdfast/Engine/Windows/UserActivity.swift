import HoldfastCore
import HoldfastStore

#if canImport(Darwin)
  import Foundation

  extension SceneLinks {
    /// The place as the system's activity, for Handoff and search. Make it current while its window is in front:
    ///
    /// ```swift
    /// .userActivity(links.activityType) { links.write(activity, to: $0) }
    /// ```
    public func write(_ activity: SceneActivity, to userActivity: NSUserActivity) {
      userActivity.title = activity.title
      userActivity.userInfo = userInfo(for: activity)
      userActivity.requiredUserInfoKeys = Set(userInfo(for: activity).keys)
      userActivity.isEligibleForHandoff = activity.isEligibleForHandoff && activity.isWellFormed
      userActivity.isEligibleForSearch = activity.isEligibleForSearch && activity.isWellFormed
      // What the system's search has of a conversation can be taken out of it by its ID.
      userActivity.persistentIdentifier = activity.conversation?.rawValue
    }

    /// The place that the system's activity names, from another device, from search, or from a link on the web.
    ///
    /// - Throws: as ``activity(from:)-(URL)``.
    public func activity(from userActivity: NSUserActivity) throws(ChatError) -> SceneActivity {
      if userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL {
        return try activity(from: url)
      }
      return try activity(
        ofType: userActivity.activityType, title: userActivity.title, userInfo: userActivity.userInfo ?? [:])
    }
  }
#endif
