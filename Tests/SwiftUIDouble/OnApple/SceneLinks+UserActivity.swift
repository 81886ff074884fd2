import Foundation
import Holdfast
import SwiftUI

// What Sources/Holdfast/Engine/Windows/UserActivity.swift adds on Apple's systems, for the double's activity.
extension SceneLinks {
  func write(_ activity: SceneActivity, to userActivity: NSUserActivity) {
    userActivity.title = activity.title
    userActivity.userInfo = userInfo(for: activity)
    userActivity.webpageURL = webpageURL(for: activity)
  }

  func activity(from userActivity: NSUserActivity) throws(ChatError) -> SceneActivity {
    if userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL {
      return try activity(from: url)
    }
    return try activity(
      ofType: userActivity.activityType, title: userActivity.title, userInfo: userActivity.userInfo ?? [:])
  }
}
